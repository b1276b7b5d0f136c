# SPDX-License-Identifier: Apache-2.0
"""Runs the simulator for a point and reads back what it counted."""

import json

from cocotb_tests.lib import rtl

from .grid import frames

RESULTS = rtl.BUILD / "statistics"


def result_file(point):
    return RESULTS / f"{point.name}-{frames()}.json"


def sample(point):
    """Counts of a run of `point`."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = result_file(point)
    path.unlink(missing_ok=True)
    rtl.run(
        "ArqPair",
        "montecarlo",
        "cocotb_tests.statistics.tb_statistics",
        parameters={"STATS_POINT": point.name},
    )
    return json.loads(path.read_text())
