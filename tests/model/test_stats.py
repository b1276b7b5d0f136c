# SPDX-License-Identifier: Apache-2.0
"""Exact intervals and tests against published values and their defining property."""

import math

import pytest

from arqlink.model.intervals import accepts, binomial_p_value, clopper_pearson


def tail(trials, p, events):
    return sum(math.comb(trials, i) * p**i * (1 - p) ** (trials - i) for i in events)


@pytest.mark.parametrize("events, trials", [(1, 10), (5, 10), (37, 200), (199, 200)])
@pytest.mark.parametrize("confidence", [0.95, 0.999])
def test_interval_ends_have_the_tail_probability(events, trials, confidence):
    interval = clopper_pearson(events, trials, confidence)
    half = (1 - confidence) / 2
    assert tail(trials, interval.low, range(events, trials + 1)) == pytest.approx(half, rel=1e-6)
    assert tail(trials, interval.high, range(events + 1)) == pytest.approx(half, rel=1e-6)


def test_interval_edges():
    assert clopper_pearson(0, 100, 0.95).low == 0
    assert clopper_pearson(0, 100, 0.95).high == pytest.approx(1 - 0.025 ** (1 / 100))
    assert clopper_pearson(100, 100).high == 1
    assert clopper_pearson(0, 0).measured is None
    with pytest.raises(ValueError):
        clopper_pearson(3, 2)


def test_binomial_test():
    assert binomial_p_value(5, 10, 0.5) == pytest.approx(1)
    assert binomial_p_value(0, 10, 0.5) == pytest.approx(2 * 0.5**10)
    assert accepts(10_000, 100_000, 0.1)
    assert not accepts(10_500, 100_000, 0.1)
    assert not accepts(1, 10, 0.0)
    assert accepts(0, 10, 0.0)
