# SPDX-License-Identifier: Apache-2.0
"""Runs the simulator for a point and reads back what it counted."""

import functools

from arqlink.run import pair_simulator
from arqlink.run.register_console import RegisterConsole
from tests.seeds import SECOND_RUN

from .bench import ConsolePair, complete
from .judge import judge, rejected
from .run import run

CONFIG = "montecarlo"


@functools.cache
def sample(point):
    """Counts of a run of `point`, which runs once."""
    with RegisterConsole(pair_simulator.simulator(CONFIG)) as console:
        return complete(run(ConsolePair(console), point))


def confirmed(point, note, judged=None):
    """Verdicts that are rejected in a run of `point`, and then in a second, independent run as well.

    There are some 200 tests at 99.9 %, so in every sixth version of the RTL one would reject a correct link. Such a point
    is sampled once more, with another seed; then all quantities have to pass. `note(name, text)` is called when
    that happens, so that it is not passed over in silence.
    """
    judged = judged or judge
    first = rejected(judged(point, sample(point)))
    if not first:
        return []
    second = rejected(judged(point.again, sample(point.again)))
    if not second:
        note(SECOND_RUN, f"{point.name}: rejected ({'; '.join(map(str, first))}), then accepted with a second seed")
    return second
