# SPDX-License-Identifier: Apache-2.0
"""Frame-loss statistics of the RTL against RR-4752's formulas; docs/statistics.md describes the tests."""

import math

import pytest

from tests.effort import slow_in_full

from .grid import ALL, BURSTS, FAR, FEEDBACK, GRID, NEAR, QUICK, WRONG
from .judge import judge, judge_burst, lag_of, rejected
from .sampling import confirmed, sample

NAMES = {point.name for point in ALL}
SLOW = NAMES - QUICK


def by_name(points):
    return pytest.mark.parametrize("point", slow_in_full(points, SLOW, lambda point: point.name), ids=lambda point: point.name)


def test_points_of_the_quick_run_exist():
    assert NAMES >= QUICK


@by_name(GRID)
def test_formulas_hold(point, record_property):
    wrong = confirmed(point, record_property)
    assert not wrong, "; ".join(map(str, wrong))


@pytest.mark.parametrize("actual, claim", slow_in_full(WRONG, SLOW, lambda pair: pair[0].name), ids=[actual.name for actual, _ in WRONG])
def test_wrong_setting_is_rejected(actual, claim, record_property):
    """The hardware is set to one thing and judged as if it were another; the same run passes as what it is."""
    wrong = confirmed(actual, record_property)
    assert not wrong, "; ".join(map(str, wrong))
    assert rejected(judge(actual, sample(actual), claim.expected))


@by_name(BURSTS)
def test_bursts(point, record_property):
    """The exact Markov chain is accepted; the Bernoulli formula with the same mean erasure rate is not."""
    wrong = confirmed(point, record_property, lambda point, counted: [judge_burst(point, counted)])
    assert not wrong, "; ".join(map(str, wrong))
    assert "P_T" in {v.quantity for v in rejected(judge(point, sample(point)))}


@by_name([NEAR, FAR])
def test_eq_5_needs_a_round_trip_longer_than_bursts(point):
    """Failures come in some hundred bursts, so P_F is known to 20 % only: the bounds are wide, the effect is wider."""
    a = sample(point)["a"]
    p_f = a["tx_frames_abandoned"] / a["tx_frames"]
    p_t = point.burst.transmission_failure(point.k, point.n)
    assert 0.5 < p_f / point.burst.repeated_failure(point.k, point.n, lag_of(point)) < 1.6
    if point is NEAR:
        assert p_f > 2 * p_t**2
    else:
        assert 0.5 < p_f / p_t**2 < 1.6


@by_name(FEEDBACK)
def test_lost_feedback_changes_no_distribution(point, record_property):
    wrong = confirmed(point, record_property)
    assert not wrong, "; ".join(map(str, wrong))
    if math.isinf(point.delta):
        assert sample(point)["checker"]["LOST"] == 0
