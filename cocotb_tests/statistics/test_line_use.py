# SPDX-License-Identifier: Apache-2.0
"""Line use at 1, 4, 8 and 16 bytes: at least 99.5 % of the PHY's beats at p = 0, goodput at least 99 % of alpha times the payload capacity; the receiver
drops nothing at any width."""

import pytest

from cocotb_tests.lib import rtl
from cocotb_tests.lib.effort import slow_in_full

POINTS = [
    # configuration, K, N, p, frames
    ("tiny", 4, 4, 0, 1500),
    ("tiny", 4, 5, 0, 1500),
    ("tiny", 4, 5, 0.01, 3000),
    ("tiny", 4, 6, 0.05, 3000),
    ("paper", 10, 10, 0, 500),
    ("paper", 10, 11, 0, 500),
    ("paper", 10, 18, 0, 500),
    ("paper", 10, 11, 0.01, 3000),
    ("paper", 10, 13, 0.05, 3000),
    ("default", 16, 16, 0, 500),
    ("default", 16, 18, 0, 500),
    ("default", 16, 24, 0, 500),
    ("default", 16, 18, 0.01, 3000),
    ("default", 16, 20, 0.05, 3000),
    ("wide8", 8, 8, 0, 1000),
    ("wide8", 8, 10, 0, 1000),
    ("wide8", 8, 10, 0.05, 4000),
    ("line10g", 32, 32, 0, 500),
    ("line10g", 32, 36, 0, 500),
    ("line10g", 32, 36, 0.01, 1500),
    ("line10g", 32, 38, 0.05, 1500),
    ("fast16", 16, 16, 0, 1000),
    ("fast16", 16, 18, 0, 1000),
    ("fast16", 16, 18, 0.01, 3000),
    ("fast16", 16, 20, 0.05, 4000),
]


def name_of(point):
    config, k, n, p, _ = point
    return f"{config}-k{k}-n{n}-p{p:g}"


@pytest.mark.parametrize("point", slow_in_full([(p,) for p in POINTS], name_of=lambda item: item[0][0]), ids=[name_of(p) for p in POINTS])
def test_line_use(point):
    config, k, n, p, frames = point
    rtl.run(
        "ArqPair",
        config,
        "cocotb_tests.statistics.tb_line_use",
        "line_use",
        parameters={"LINE_NAME": name_of(point), "LINE_K": k, "LINE_N": n, "LINE_P": p, "LINE_FRAMES": frames},
    )


BOTH_WAYS = [("tiny", 4, 5), ("paper", 10, 11), ("default", 16, 18), ("line10g", 32, 36), ("fast16", 16, 18)]


@pytest.mark.parametrize("config, k, n", slow_in_full(BOTH_WAYS, name_of=lambda item: item[0]))
def test_both_ways(config, k, n):
    parameters = {"LINE_K": k, "LINE_N": n, "LINE_FRAMES": 300}
    rtl.run("ArqPair", config, "cocotb_tests.statistics.tb_line_use", "both_ways", parameters=parameters)
