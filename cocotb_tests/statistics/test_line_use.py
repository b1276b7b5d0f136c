# SPDX-License-Identifier: Apache-2.0
"""Line use at 1, 2, 4 and 8 bytes, down to frames of one unit of two beats: at least 99.5 % of the PHY's beats at p = 0, goodput at least 99 % of
alpha times the payload capacity; the receiver drops nothing at any width."""

import pytest

from cocotb_tests.measurements import LINE_POINTS, line_use
from cocotb_tests.statistics.line_use import both_ways, on_a_pair
from tests.effort import SLOW_TO_BUILD, slow_in_full

OWN_SETTINGS = "own settings"
SLOW = SLOW_TO_BUILD | {"short8", "paper8", "montecarlo", OWN_SETTINGS}
"""Builds that take long, and those of one or two points."""


def build_of(item):
    (point,) = item
    return OWN_SETTINGS if point.settings else point.config


@pytest.mark.parametrize("point", slow_in_full([(p,) for p in LINE_POINTS], SLOW, build_of), ids=[p.name for p in LINE_POINTS])
def test_line_use(point):
    assert line_use(point)


BOTH_WAYS = [("tiny", 4, 5), ("paper", 10, 11), ("default", 16, 18), ("line10g", 32, 36)]


@pytest.mark.parametrize("config, k, n", slow_in_full(BOTH_WAYS, name_of=lambda item: item[0]))
def test_both_ways(config, k, n):
    on_a_pair(config, lambda pair, build: both_ways(pair, build, k, n, frames=300))
