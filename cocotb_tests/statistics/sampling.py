# SPDX-License-Identifier: Apache-2.0
"""Runs the simulator for a point and reads back what it counted."""

import json

from arqlink.run import pair_simulator
from arqlink.run.register_console import RegisterConsole
from cocotb_tests.lib import rtl
from tests.seeds import SECOND_RUN

from .bench import ConsolePair, complete
from .grid import frames
from .judge import judge, rejected
from .run import run

CONFIG = "montecarlo"

RESULTS = rtl.BUILD / "statistics"


def result_file(point):
    return RESULTS / f"{point.name}-{frames()}.json"


def recorded(point):
    """Counts of the last run of `point`."""
    return json.loads(result_file(point).read_text())


def sample(point):
    """Counts of a run of `point`."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    result_file(point).unlink(missing_ok=True)
    with RegisterConsole(pair_simulator.simulator(CONFIG)) as console:
        counted = complete(run(ConsolePair(console), point))
    result_file(point).write_text(json.dumps(counted, indent=1))
    return counted


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
