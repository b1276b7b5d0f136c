# SPDX-License-Identifier: Apache-2.0
"""Frame-loss statistics of the RTL against RR-4752's formulas; docs/statistics.md describes the tests."""

import math

import pytest

from .grid import BURSTS, FEEDBACK, GRID, WRONG
from .judge import judge, judge_burst, rejected
from .sampling import sample


def by_name(points):
    return pytest.mark.parametrize("point", points, ids=lambda point: point.name)


@by_name(GRID)
def test_formulas_hold(point):
    verdicts = judge(point, sample(point))
    assert not rejected(verdicts), "; ".join(map(str, rejected(verdicts)))


@pytest.mark.parametrize("actual, claim", WRONG, ids=[actual.name for actual, _ in WRONG])
def test_wrong_setting_is_rejected(actual, claim):
    """The hardware is set to one thing and judged as if it were another; the same run passes as what it is."""
    counted = sample(actual)
    assert rejected(judge(actual, counted, claim.expected))
    assert not rejected(judge(actual, counted))


@by_name(BURSTS)
def test_bursts(point):
    """The exact Markov chain is accepted; the Bernoulli formula with the same mean erasure rate is not."""
    counted = sample(point)
    verdict = judge_burst(point, counted)
    assert verdict.accepted, str(verdict)
    assert "P_T" in {v.quantity for v in rejected(judge(point, counted))}


@by_name(FEEDBACK)
def test_lost_feedback_changes_no_distribution(point):
    counted = sample(point)
    verdicts = judge(point, counted)
    assert not rejected(verdicts), "; ".join(map(str, rejected(verdicts)))
    if math.isinf(point.delta):
        assert counted["checker"]["LOST"] == 0
