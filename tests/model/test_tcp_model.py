# SPDX-License-Identifier: Apache-2.0
"""Analytic model of TCP over the link, RR-4752 section 4: its formulas against simulation, and what it says of the paper's settings."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, stats

from arqlink.errors import UserError
from arqlink.model import tcp
from arqlink.model.analytic import Code, LinkModel
from arqlink.model.loss import Bernoulli
from tests import seeds

CONFIDENCE = 0.9999
"""Of each interval; a test of a wrong law shows what the intervals exclude."""
REST = 0.08
"""T of RR-4752 Fig. 2: four times 20 ms."""


def link(n, delta, delay, p=0.01, k=10):
    """RR-4752's link: 2 Mb/s, packets of six frames of ten units of 25 bytes."""
    return LinkModel(Code(k, n, n, delta), Bernoulli(p), 1500, 25, 25 * 8 / 2e6, delay)


def operation(n, delta, delay, connections=10, p=0.01, **options):
    return tcp.TcpOverLink(link(n, delta, delay, p), connections, REST, **options).operation()


def simulated_wait(arrivals, through, periodic, name):
    """Interval of CONFIDENCE for the mean time in a resequencer behind exponential times: 400 runs of 3000 packets."""
    draw = seeds.generator(name)
    gaps = np.full((400, 3000), 1 / arrivals) if periodic else draw.exponential(1 / arrivals, (400, 3000))
    done = np.cumsum(gaps, axis=1) + draw.exponential(through, gaps.shape)
    waits = (np.maximum.accumulate(done, axis=1) - done)[:, 1000:].mean(axis=1)
    return stats.t.interval(CONFIDENCE, len(waits) - 1, waits.mean(), stats.sem(waits))


@pytest.mark.parametrize("load", [0.2, 1, 5, 40])
@pytest.mark.parametrize("law", ["poisson", "periodic"])
def test_time_in_the_resequencer(law, load):
    low, high = simulated_wait(load / 0.4, 0.4, law == "periodic", f"{law} {load}")
    assert low < tcp.WAITS[law](load / 0.4, 0.4) < high


def test_the_intervals_exclude_other_laws():
    """At a load of 5 Proposition 1 is far below both, and neither law is the other one."""
    waits = {name: tcp.WAITS[name](5 / 0.4, 0.4) for name in ("proposition1", "poisson", "periodic")}
    for law in ("poisson", "periodic"):
        low, high = simulated_wait(5 / 0.4, 0.4, law == "periodic", law)
        assert not any(low < wait < high for name, wait in waits.items() if name != law)


def test_waits_agree_at_low_load_and_take_arrays():
    """Proposition 1 is the first term of the Poisson law; it never exceeds half of the time through the link (errata 5)."""
    loads = np.array([1e-9, 1e-4, 1e-2])
    assert tcp.wait_proposition_1(loads, 1.0) == pytest.approx(tcp.wait_poisson(loads, 1.0), rel=2e-2)
    assert (tcp.wait_proposition_1(np.array([0, 1, 1e6]), 1.0) <= 0.5).all()
    assert tcp.wait_periodic(np.array([0, 0.5]), 1.0).shape == (2,)


def test_eq_11_by_its_integral():
    arrivals, through = 3.0, 0.7
    steps = np.arange(500) / arrivals

    def late(x):
        return -math.expm1(float(np.log1p(-np.exp(-(x + steps) / through)).sum())) if x else 1.0

    total = integrate.quad(late, 0, 60 * through, limit=500)[0]
    assert through + tcp.wait_periodic(arrivals, through) == pytest.approx(total, rel=1e-6)


def test_rate_of_one_connection():
    """Eq. 1: Padhye's formula with b = 2, RTO of four round trips; no limit without loss."""
    loss, trip = 0.02, 0.3
    halvings, timeouts = math.sqrt(4 * loss / 3), 4 * min(1, 3 * math.sqrt(6 * loss / 8)) * loss * (1 + 32 * loss**2)
    assert tcp.rate(loss, trip, 1500) == pytest.approx(1500 * (1 - loss) / (trip * (halvings + timeouts)))
    assert np.isinf(tcp.rate(np.array([0.0, 0.01]), 0.3, 1500)).tolist() == [True, False]
    assert tcp.rate(1.0, 0.3, 1500) == 0


@pytest.mark.parametrize("resequencing", [*tcp.WAITS, tcp.FULL_LOAD])
def test_link_and_connections_agree(resequencing):
    """Where TCP is the limit, R is what it sends with the round trip that there is at R; elsewhere the line is full."""
    limited = tcp.TcpOverLink(link(10, 2, 0.2), 2, REST, resequencing)
    found = limited.operation()
    assert not found.is_full and limited.offered(found.goodput) == pytest.approx(found.goodput, rel=1e-6)
    assert found.goodput == pytest.approx(found.utilization * 2e6 / 8) and found.busy < 1
    full = tcp.TcpOverLink(link(12, 1, 0.2), 10, REST, resequencing)
    found = full.operation()
    assert found.is_full and found.utilization == pytest.approx(full.link.alpha) and full.offered(found.goodput) >= found.goodput


def test_round_trip_of_light_load():
    """One connection that sends next to nothing: the round trip is T + 2D and the time of the frames."""
    model = tcp.TcpOverLink(link(10, 0, 0.1, p=0.2), 1, REST)
    trip, wait = model.round_trip(0.0)
    assert wait == 0 and trip == pytest.approx(REST + 0.2 + 6 * 10 * 1e-4)


def test_time_through_the_link_in_general():
    """Eq. 7 and section 4.5 agree where a packet is short against the round trip, and differ where it is not."""
    times = {}
    for delay in (0.002, 0.2):
        for law in ("medium", "general"):
            model = tcp.TcpOverLink(link(10, 5, delay), 10, REST, through=law, variant="exact")
            times[delay, law] = model.through(1.0)
    assert times[0.2, "general"] == pytest.approx(times[0.2, "medium"], rel=1e-6)
    assert times[0.002, "medium"] * 1.001 < times[0.002, "general"] < times[0.002, "medium"] * 1.01


def test_laws_of_resequencing_at_full_load():
    """Errata 5: with few values of the delay and packets at equal distances the wait is three times that of Proposition 1 at p = 0.01,
    D = 200 ms, N = 10 and delta = 5; and there is none without retransmissions."""
    waits = {}
    for delta in (0, 5):
        for law in ("proposition1", tcp.FULL_LOAD):
            model = tcp.TcpOverLink(link(10, delta, 0.2), 10, REST, law)
            waits[delta, law] = model.wait(model.capacity, model.through(1.0))
    assert 2.5 < waits[5, tcp.FULL_LOAD] / waits[5, "proposition1"] < 3.5
    assert waits[0, tcp.FULL_LOAD] == pytest.approx(0, abs=1e-6) and waits[0, "proposition1"] > 0.09


def test_what_the_paper_finds_by_its_model():
    """RR-4752 figs. 9 to 12 at p = 0.01, ten connections, and errata 6: FEC alone is best at N = 12, but at N = 11 where D = 20 ms."""
    for delay, best in ((0.02, 11), (0.1, 12), (0.2, 12)):
        alone = {n: operation(n, 0, delay).utilization for n in range(10, 21)}
        assert max(alone, key=lambda n: alone[n]) == best
        persistent = [operation(10, delta, delay).utilization for delta in range(6)]
        assert all(later >= earlier for earlier, later in pairwise(persistent)), "ARQ alone is monotone in delta"
        assert persistent[5] > max(alone.values()), "and beats the best FEC alone"
    assert operation(11, 0, 0.02).utilization == pytest.approx(0.881, abs=1e-3)
    assert operation(12, 0, 0.02).utilization == pytest.approx(0.832, abs=1e-3)
    hybrid = {n: operation(n, 5, 0.2, p=0.001).utilization for n in range(10, 16)}
    assert max(hybrid, key=lambda n: hybrid[n]) == 10, "no FEC is needed at p = 0.001"


def test_what_cannot_be_is_refused_or_zero():
    assert operation(10, 0, 0.1, p=1.0).utilization == 0
    with pytest.raises(UserError, match="one length"):
        tcp.TcpOverLink(LinkModel(Code(10, 10, 10, 0), Bernoulli(0.1), [100, 200], 25, 1e-4, 0.1), 1, REST)
    with pytest.raises(UserError, match="time of a unit"):
        tcp.TcpOverLink(LinkModel(Code(10, 10, 10, 0), Bernoulli(0.1), 1500, 25), 1, REST)
    with pytest.raises(UserError, match="must be one of none, "):
        tcp.TcpOverLink(link(10, 0, 0.1), 1, REST, "some")
    with pytest.raises(UserError, match="must be medium or general"):
        tcp.TcpOverLink(link(10, 0, 0.1), 1, REST, through="short")
