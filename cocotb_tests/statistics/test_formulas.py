# SPDX-License-Identifier: Apache-2.0
"""The bench's formulas against closed forms, enumeration, and the analytic model of the command line."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom, nbinom

from arqlink.model.analytic import Code, LinkModel
from arqlink.model.loss import GilbertElliott

from .formulas import Burst, Expected, Totals, transmission_failure
from .grid import BURSTS, GRID, PACKET_FRAMES


@pytest.mark.parametrize("point", GRID, ids=lambda point: point.name)
def test_expected_values(point):
    """Eq. 6 as printed where N_r = N; everything against arqlink, which derives it another way."""
    from arqlink.model.loss import Bernoulli

    e = point.expected
    model = LinkModel(Code(e.k, e.n, e.nr, e.delta), Bernoulli(e.p), PACKET_FRAMES * e.k * 8, 8)
    assert e.p_f == pytest.approx(model.p_f, rel=1e-9)
    assert e.packet_loss == pytest.approx(model.packet_loss, rel=1e-9)
    assert e.mean_transmissions == pytest.approx(model.mean_transmissions, rel=1e-9)
    assert e.alpha == pytest.approx(model.alpha, rel=1e-9)
    if e.n == e.nr and not math.isinf(e.delta):
        eq_6 = (1 - e.p_f) ** (e.x - 1) * (1 - e.p_first) * e.k / e.n
        assert e.alpha == pytest.approx(eq_6, rel=1e-12)


def test_binomial_sum():
    for k, n, p in itertools.product((1, 4, 10), (10, 12, 14), (0.01, 0.1, 0.5)):
        assert transmission_failure(k, n, p) == pytest.approx(binom.sf(n - k, n, p), rel=1e-9)


def test_totals_of_infinite_persistency_are_negative_binomial():
    e = Expected(10, 11, 11, math.inf, 0.1, 6)
    totals = Totals(e, 500)
    assert totals.table.sum(axis=0) == pytest.approx(nbinom.pmf(totals.retx, 3000, 1 - e.p_first), abs=1e-8)


@pytest.mark.parametrize("delta", [0, 1, 3])
def test_totals_have_the_right_margins(delta):
    e = Expected(10, 11, 12, delta, 0.1, 6)
    totals = Totals(e, 700)
    assert totals.table.sum(axis=1) == pytest.approx(binom.pmf(totals.lost, 700, e.packet_loss), abs=1e-12)
    mean = (totals.table.sum(axis=0) * totals.retx).sum()
    assert mean == pytest.approx(700 * 6 * (e.mean_transmissions - 1), rel=1e-9)


def test_totals_of_one_packet():
    """Joint distribution by enumeration: two frames, one retransmission at most."""
    e = Expected(2, 3, 3, 1, 0.3, 2)
    p_t = e.p_first
    frame = {(0, 0): 1 - p_t, (0, 1): p_t * (1 - p_t), (1, 1): p_t**2}  # (lost, retransmissions)
    totals = Totals(e, 1)
    for lost, retx in itertools.product((0, 1), (0, 1, 2)):
        expected = sum(a * b for ((l1, r1), a), ((l2, r2), b) in itertools.product(frame.items(), repeat=2) if (l1 | l2, r1 + r2) == (lost, retx))
        assert totals.table[lost, retx] == pytest.approx(expected, abs=1e-12)


def test_burst_by_enumeration():
    burst, k, n = Burst(0.1, 0.3, 0.05, 0.7), 3, 5
    failed = 0.0
    for states in itertools.product((0, 1), repeat=n):
        chance = burst.stationary[states[0]]
        for before, after in zip(states, states[1:]):
            leave = (burst.p_gb, burst.p_bg)[before]
            chance *= leave if before != after else 1 - leave
        for erased in itertools.product((0, 1), repeat=n):
            if sum(erased) > n - k:
                q = [(burst.p_good, burst.p_bad)[s] for s in states]
                failed += chance * math.prod(p if x else 1 - p for p, x in zip(q, erased))
    assert burst.transmission_failure(k, n) == pytest.approx(failed, rel=1e-9)


@pytest.mark.parametrize("point", BURSTS, ids=lambda point: point.name)
def test_burst_agrees_with_the_model(point):
    b = point.burst
    other = GilbertElliott(b.p_gb, b.p_bg, b.p_good, b.p_bad)
    assert b.mean == pytest.approx(0.05)
    assert b.transmission_failure(point.k, point.n) == pytest.approx(other.failure(point.n, point.k), rel=1e-9)


def test_a_burst_channel_without_bursts_counts_binomially():
    burst = Burst(0.2, 0.4, 0.1, 0.1)
    counts = burst.failures(10, 11, 300)
    assert counts == pytest.approx(binom.pmf(np.arange(301), 300, transmission_failure(10, 11, 0.1)), abs=1e-12)
    low, high = burst.transmission_tails(10, 11, 200, 300)
    assert low + high == pytest.approx(1 + nbinom.pmf(100, 200, 1 - transmission_failure(10, 11, 0.1)), abs=1e-9)
