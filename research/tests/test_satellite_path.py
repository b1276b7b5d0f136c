# SPDX-License-Identifier: Apache-2.0
"""Zhu, Roy and Kim's model of TCP over a terrestrial and a satellite path: closed forms against sums and simulation."""

import heapq
import itertools
import math

import numpy as np
import pytest
from scipy import stats

from arqlink_research.model.satellite_path import SatellitePath, mean_in_order, mean_in_order_estimate, out_of_order
from tests import seeds

CONFIDENCE = 0.9999
"""Of each interval; a test of a wrong value shows what the intervals exclude."""


def interval(samples):
    return stats.t.interval(CONFIDENCE, len(samples) - 1, samples.mean(), max(stats.sem(samples), 1 / len(samples)))


def simulated_in_order(packets, loss, attempts=np.inf):
    draw = seeds.generator("losses")
    return interval(np.minimum(draw.geometric(1 - loss, (50_000, packets)), attempts).max(axis=1))


@pytest.mark.parametrize("packets", [1, 2, 10, 60])
@pytest.mark.parametrize("loss", [0.05, 0.3, 0.5])
def test_packets_that_wait_for_each_other(packets, loss):
    low, high = simulated_in_order(packets, loss)
    assert low < mean_in_order(packets, loss) < high
    low, high = simulated_in_order(packets, loss, attempts=2)
    assert low < mean_in_order(packets, loss, attempts=2) < high


def test_the_intervals_exclude_the_estimate_and_other_limits():
    low, high = simulated_in_order(10, 0.1)
    assert not low < mean_in_order_estimate(10, 0.1) < high
    assert not low < mean_in_order(10, 0.1, attempts=2) < high
    assert mean_in_order_estimate(10, 0.1) == pytest.approx(mean_in_order(10, 0.1), rel=0.1), "eq. 4 is an approximation"


def test_the_sum_is_eq_60_where_that_can_be_summed():
    loss = 0.2
    alternating = math.fsum(math.comb(12, i) / (1 - loss**i) * (-1) ** (i - 1) for i in range(1, 13))
    assert mean_in_order(12, loss) == pytest.approx(alternating, rel=1e-12)
    assert mean_in_order(np.array([1, 5]), 0.2).shape == (2,) and mean_in_order(7, 0.0) == 1


def loss_of_a_link_packet(loss, link_packets):
    """Of a segment that has so many."""
    return -math.expm1(math.log1p(-loss) / link_packets)


@pytest.mark.parametrize("loss, link_packets, apart", [(0.1, 1, 1), (0.5, 1, 1), (0.5, 1, 2), (0.3, 10, 1)])
def test_segments_that_arrive_out_of_order(loss, link_packets, apart):
    draw = seeds.generator("losses")
    link_loss = loss_of_a_link_packet(loss, link_packets)
    first, second = draw.geometric(1 - link_loss, (2, 400_000, link_packets)).max(axis=2)
    overtaken = np.count_nonzero(first - second > apart)
    low, high = stats.binomtest(int(overtaken), 400_000).proportion_ci(CONFIDENCE)
    assert low < out_of_order(link_loss, link_packets, apart) < high
    assert not low < out_of_order(link_loss, link_packets, apart + 1) < high


def test_equation_16_and_what_it_bounds():
    for loss in (0.01, 0.1, 0.3, 0.5):
        chances = [out_of_order(loss_of_a_link_packet(loss, link_packets), link_packets) for link_packets in (1, 2, 5, 20)]
        assert chances[0] == pytest.approx(loss**2 / (1 + loss), rel=1e-12)
        assert chances == sorted(chances, reverse=True)
    assert out_of_order(0.5, apart=2) == pytest.approx(0.5**3 / 1.5, rel=1e-12)


PATHS = list(itertools.product((0, 0.01, 0.1, 0.5), (0.05, 0.1, 0.25, 0.5), (20, 50, 100, 200, 400), (0.05, 0.1, 0.3, 0.5)))
"""T1, T2, B and p, with 250 segments a second."""


def case(path):
    """Which of eq. 40's three cases a path is in."""
    return 1 if path.beta >= 1 + path.rho else 2 if path.beta > 1 else 3


def test_closed_form_against_the_sum():
    """Eq. 39 is up to 4.5 % below eq. 38 in all three cases, and nowhere above by more than rounding (errata: 0.2 to 4 %)."""
    ratios, cases = [], set()
    for terrestrial, satellite, buffer, loss in PATHS:
        path = SatellitePath(terrestrial, satellite, 250, buffer, loss)
        ratios.append(float(path.end_to_end()) / path.end_to_end_sum())
        cases.add(case(path))
    assert cases == {1, 2, 3} and min(ratios) > 0.955 and max(ratios) < 1.0001


def test_a_wrong_case_would_be_seen():
    """The form of the case next to it is off by more than the closed form is from the sum."""
    path = SatellitePath(0.05, 0.25, 250, 66, 0.1)
    assert case(path) == 2
    r, rho = path.link_loss, path.rho
    of_case_1 = 1.5 * path.beta * (1 - r) / (1 + rho)
    of_case_1 /= 0.05 * (1 - r) / 0.25 + path.nu * np.log(path.pipe / 2) + (1 - r) / 4 + (1 + rho - rho**2 / 2) / (1 + rho) * path.beta
    assert not 0.955 < float(of_case_1) / path.end_to_end_sum() < 1.0001


def test_arrays_give_what_single_paths_give():
    buffers = np.array([20.0, 60.0, 100.0, 400.0])
    together = SatellitePath(0.05, 0.25, 250, buffers, 0.1).end_to_end()
    assert together.tolist() == [float(SatellitePath(0.05, 0.25, 250, b, 0.1).end_to_end()) for b in buffers]


def test_satellite_alone():
    """Eq. 52: T1 = 0, a buffer of two pipes or more."""
    path = SatellitePath(0.0, 0.5, 250, 400, 0.1, link_packets=3)
    nu, pipe, share = path.nu, path.pipe, 0.75 * 400
    assert path.rho == 1
    r = path.link_loss
    expected = share * (1 - r) / (share + pipe * (nu * math.log(pipe * 3 / 2) + (1 - r) / 4))
    assert path.end_to_end() == pytest.approx(float(expected))


def simulated_split(path, rounds=20_000):
    """Segments a second of a source that sends by eq. 41, once in each T1, into a buffer from which a segment goes when it has arrived."""
    draw, stored, burst, total = seeds.generator("losses"), [], 0, 0
    for step in range(rounds):
        now = step * path.terrestrial
        while stored and stored[0] <= now:
            heapq.heappop(stored)
        free = path.buffer - len(stored)
        burst = free - burst if burst < free / 2 else free // 2
        for transmissions in draw.geometric(1 - path.loss, burst):
            heapq.heappush(stored, now + transmissions * path.satellite)
        total += burst
    return total / (rounds * path.terrestrial)


@pytest.mark.parametrize(("terrestrial", "satellite", "loss"), [(0.01, 0.5, 0.1), (0.01, 0.3, 0.3), (0.02, 0.5, 0.5)])
def test_split_connection(terrestrial, satellite, loss):
    """Eq. 49 takes averages for products of averages: within 5 % where the satellite path is much the longer one."""
    path = SatellitePath(terrestrial, satellite, 1000, 60, loss)
    assert path.split() < 1
    assert float(path.split() * 1000 * (1 - loss)) == pytest.approx(simulated_split(path), rel=0.05)
    other = SatellitePath(terrestrial, satellite * 1.1, 1000, 60, loss)
    assert float(other.split() * 1000 * (1 - loss)) != pytest.approx(simulated_split(path), rel=0.05)


def test_what_splitting_gains():
    """Section V.A: splitting wins where the satellite path is the longer one, and loses at a long terrestrial path and a small buffer."""
    long_satellite = SatellitePath(0.01, 0.5, 250, 150, 0.1)
    assert long_satellite.split() * 0.9 > long_satellite.end_to_end()
    long_terrestrial = SatellitePath(0.1, 0.01 * 0.9, 250, 10, 0.1)
    assert long_terrestrial.split() * 0.9 < long_terrestrial.end_to_end()
    assert SatellitePath(0.01, 0.5, 250, 30, 0.1).split_connections() == 7


def test_fading_bounds():
    """What reorders nothing is faster: above the independent losses' throughput, and the same without losses."""
    path = SatellitePath(0.1, 0.25, 250, np.array([20, 100, 300]), 0.2)
    end_to_end, split = path.fading_bounds()
    assert (end_to_end > path.end_to_end()).all() and split.tolist() == (path.split() * 0.8).tolist()
    clear = SatellitePath(0.1, 0.25, 250, 100, 0.0)
    assert clear.fading_bounds()[0] == pytest.approx(float(clear.end_to_end()))
