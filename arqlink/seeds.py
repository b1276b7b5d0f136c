# SPDX-License-Identifier: Apache-2.0
"""Seeds as a user writes them."""

import re

from arqlink.errors import UserError

MOST = 100_000
LARGEST = (1 << 32) - 1
SYNTAX = "N|A-B|A,B,…"


def parse_seeds(text):
    """A list of seeds: one, a range, or a list."""
    return _seeds(text, lambda seed: [seed], "a seed")


def parse_sample(text):
    """The same where a number alone is how many there are, from 1 on."""
    return _seeds(text, lambda count: range(1, count + 1), "a number of them")


def _seeds(text, single, what):
    try:
        if "-" in text:
            first, last = map(int, text.split("-"))
            seeds = range(first, last + 1)
        else:
            several = [int(word) for word in re.split(r",| +", text)]
            seeds = several if several[1:] else single(several[0])
    except ValueError:
        seeds = []
    if not seeds or (isinstance(seeds, list) and len(set(seeds)) < len(seeds)):
        raise UserError(f"The seeds are '{text}'; write {what}, a range such as 1-5, or a list such as 1,4,7.")
    largest = max(seeds) if isinstance(seeds, list) else seeds[-1]  # a range may be too long to be gone through
    if largest > LARGEST or len(seeds) > MOST:
        raise UserError(f"The seeds are '{text}'; there may be {MOST} of them, each up to {LARGEST}.")
    return list(seeds)
