# SPDX-License-Identifier: Apache-2.0
"""All random input of the tests hangs on one number, ARQLINK_SEED, which each run and each failure prints.

A statistical test at 99.9 % refuses what is right once in a thousand seeds. It samples a second time then, with other numbers, which decide: once in a
million. The run's summary tells of it.
"""

import os
import random

SEED = int(os.environ.get("ARQLINK_SEED", "1"))
SECOND_RUN = "accepted in a second run only"
"""Property of a test that passed so."""


def rng(name):
    """Random numbers of their own for each name."""
    return random.Random(f"{SEED}-{name}")


def seed_of(name):
    """A seed for programs and registers, which take 32 bits; never 0."""
    return rng(name).randrange(1, 1 << 32)


def generator(name):
    """Random numbers of numpy's."""
    import numpy as np

    return np.random.default_rng(seed_of(name))


def note(record_property, text):
    record_property(SECOND_RUN, text)


def summarize(terminal):
    texts = [text for report in terminal.getreports("passed") for name, text in report.user_properties if name == SECOND_RUN]
    if texts:
        terminal.section(SECOND_RUN)
        for text in texts:
            terminal.write_line(text)
