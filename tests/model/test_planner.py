# SPDX-License-Identifier: Apache-2.0
"""The planner: against an exhaustive search, and at its limits."""

import json
import math
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import pytest

from arqlink.errors import UserError
from arqlink.model import planner
from arqlink.model.link_setup import LinkSetup
from arqlink.model.loss import Bernoulli, GilbertElliott
from arqlink.model.planner import Goal, Plan, parse_goal

GOALS = [Goal(), Goal(loss=1e-4), Goal(delay_ms=8)]


def setup(config="tiny", loss=None, delay_ms=1.0, packet_bytes=512, **options):
    return LinkSetup(config=config, loss=loss or Bernoulli(0.02), delay_ms=delay_ms, packet_bytes=packet_bytes, delta=math.inf, **options)


def exhaustive(setup, goal, connections):
    """Most utilization of all K, N, N of retransmissions and persistencies to 6 that meet the goal."""
    limits, most = setup.limits, 0.0
    for delta in range(7):
        for k in range(1, limits["max_k"] + 1):
            for n in range(k, k + limits["max_parity"] + 1):
                for nr in range(k, k + limits["max_parity"] + 1) if delta else (n,):
                    plan = Plan(replace(setup, k=k, n=n, nr=nr, delta=delta), connections, 80.0)
                    if plan.meets(goal):
                        most = max(most, plan.utilization)
    return most


@pytest.mark.parametrize("goal", GOALS, ids=str)
@pytest.mark.parametrize("connections", [0, 1])
def test_no_choice_is_better(goal, connections):
    link = setup(rate_mbps=1.0)
    best = planner.choose(planner.plans(link, goal, connections, 80.0))
    assert best.meets(goal)
    assert exhaustive(link, goal, connections) * (1 - 2 * planner.EQUAL) <= best.utilization <= exhaustive(link, goal, connections) * (1 + 1e-12)


@pytest.mark.parametrize("limit", [1e-9, 1e-10, 1e-12])
def test_a_goal_of_hardly_any_loss_is_reached_by_persistency_and_not_by_parity(limit):
    """Nothing is lost with infinite persistency and N = K, and that has 4 % more goodput than the most parity with little persistency."""
    link = setup("paper", GilbertElliott(0.005, 0.3, 0, 1), delay_ms=20, packet_bytes=1500)
    best = planner.choose(planner.plans(link, Goal(loss=limit), k=10))
    assert best.packet_loss <= limit
    assert best.utilization > Plan(replace(link, k=10, n=10, nr=10)).utilization * (1 - planner.EQUAL)


def test_persistency_that_saves_parity_is_tried_though_hardly_a_packet_is_lost():
    """TCP: with delta = 7 and twice the units in retransmissions one packet in 10^9 is lost, but with delta = 13 no parity is needed."""
    link = setup("paper", Bernoulli(0.2), delay_ms=0.1, packet_bytes=64, rate_mbps=200)
    best = planner.choose(planner.plans(link, Goal(), 1, 80.0, k=1))
    assert best.utilization > Plan(replace(link, k=1, n=1, nr=1), 1, 80.0).utilization * (1 - 2 * planner.EQUAL)


def test_of_plans_with_hardly_less_goodput_the_quickest_is_chosen():
    """By the mean first, and by the quantile where that is equal."""
    given = [(0.9, (5, 9)), (0.8998, (4, 8)), (0.8995, (4, 7)), (0.89, (1, 1))]
    plans = [SimpleNamespace(utilization=utilization, coarse_delays_ms=delays) for utilization, delays in given]
    assert planner.choose(plans) is plans[2] and planner.choose(plans[::-1]) is plans[2]


def test_goals_cost_goodput():
    """Each limit takes goodput, and what it limits is kept."""
    link = setup("paper", Bernoulli(0.01), delay_ms=200, packet_bytes=1500)
    free, safe, quick = (planner.choose(planner.plans(link, goal)) for goal in (Goal(), Goal(loss=1e-6), Goal(delay_ms=600)))
    assert free.utilization >= safe.utilization * (1 - planner.EQUAL) > quick.utilization
    assert safe.packet_loss <= 1e-6 and quick.delays_ms()[1] <= 600 < free.delays_ms()[1]


def test_plans_that_miss_the_goal_do_not_end_the_search():
    """Those with the most goodput lose too much: the best one is further down."""
    link = setup("paper", Bernoulli(0.01), delay_ms=250, packet_bytes=1500)
    free, safe = (planner.best_of_delta(link, [10], 0, goal, 0, 0.0) for goal in (Goal(), Goal(loss=1e-4)))
    assert free and safe and safe.packet_loss <= 1e-4 < free.packet_loss
    every = [Plan(replace(link, k=10, n=n, nr=n, delta=0)) for n in range(10, 11 + link.limits["max_parity"])]
    assert safe.utilization == pytest.approx(max(plan.utilization for plan in every if plan.packet_loss <= 1e-4), rel=planner.EQUAL)


def test_tcp_needs_fewer_losses_than_datagrams():
    link = setup("paper", Bernoulli(0.01), delay_ms=200, packet_bytes=1500)
    datagrams, tcp = planner.plans(link, Goal()), planner.plans(link, Goal(), 1, 80.0)
    assert tcp[0].setup.delta == datagrams[0].setup.delta == 0
    assert tcp[0].packet_loss < datagrams[0].packet_loss and tcp[0].utilization < datagrams[0].utilization


def test_the_round_trip_outside_of_the_link_is_in_milliseconds():
    """Far from its server a connection has the rate of the square root of its losses (eq. 1 without timeouts, a percent here), and the link hardly counts."""
    link = setup("paper", Bernoulli(2e-5), packet_bytes=1500, rate_mbps=2.0)
    plan = Plan(replace(link, k=10, n=10, nr=10, delta=0), 1, 20_000.0)
    assert plan.utilization * 2e6 == pytest.approx(1500 * 8 / 20 / math.sqrt(4 * plan.packet_loss / 3), rel=0.05)


def test_longer_retransmissions_gain():
    """One retransmission for TCP over a geostationary satellite: one of more units gives 8 % more than any N for both."""
    link = setup("paper", Bernoulli(0.01), delay_ms=250, packet_bytes=1500)
    best = planner.best_of_delta(link, [10], 1, Goal(), 1, 80.0)
    alike = [Plan(replace(link, k=10, n=n, nr=n, delta=1), 1, 80.0).utilization for n in range(10, 11 + link.limits["max_parity"])]
    assert best and best.utilization > 1.05 * max(alike)


def test_a_short_window_asks_for_long_frames():
    """64 frames and a round trip of many windows: with frames as long as possible most data are under way."""
    near, far = (planner.choose(planner.plans(setup("line10g", delay_ms=d, packet_bytes=2048, rate_mbps=100), Goal())) for d in (0.01, 50))
    assert far.setup.k == 32 and far.utilization < 0.2 < 0.9 < near.utilization


def test_rows_end_where_persistency_gains_nothing():
    rows = planner.plans(setup(), Goal())
    assert all(later.setup.delta == earlier.setup.delta + 1 for earlier, later in pairwise(rows))
    assert rows[-1].packet_loss < 1e-6 and len(rows) < len(planner.DELTAS)
    assert len(planner.plans(setup(loss=Bernoulli(0.0)), Goal())) == 1, "without losses there is nothing to choose"


def test_bursts_and_one_k():
    rows = planner.plans(setup("paper", GilbertElliott(0.01, 0.3, 0, 1), delay_ms=20, packet_bytes=1500), Goal(), k=10)
    assert {row.setup.k for row in rows} == {10} and all(0 < row.utilization < 1 for row in rows)


def test_a_line_that_loses_nearly_all():
    """Most K and N would need millions of transmissions; those count for nothing, and the others are found."""
    rows = planner.plans(setup("paper", Bernoulli(0.9), delay_ms=250, packet_bytes=1500), Goal())
    assert [row.setup.delta for row in rows] == list(planner.DELTAS) and rows[-1].packet_loss == 0
    assert all(1 < row.model.mean_transmissions <= planner.MOST_TRANSMISSIONS for row in rows[1:])
    assert planner.best_of_delta(setup(loss=Bernoulli(0.99999)), [4], math.inf, Goal(), 0, 0.0) is None


def test_what_cannot_be_reached():
    with pytest.raises(UserError, match="reaches delay=0.5"):
        planner.plans(setup(), Goal(delay_ms=0.5))


@pytest.mark.parametrize("text", ["", "loss", "loss=", "loss=0", "loss=1", "loss=x", "delay=-1", "delay=inf", "delay=nan", "goodput=1", "speed"])
def test_goals_that_are_none(text):
    with pytest.raises(UserError, match="it must be goodput, loss=P or delay=MS"):
        parse_goal(text)


def test_goals_as_they_are_written():
    assert [str(parse_goal(text)) for text in ("goodput", "loss=1e-6", "delay=600")] == ["goodput", "loss=1e-06", "delay=600"]


def test_command(arqlink):
    code, out, _ = arqlink("plan", "--config", "tiny", "--packet-bytes", "512", "--delay-ms", "1", "--connections", "2", "--json")
    report = json.loads(out)
    assert code == 0 and report["connections"] == 2 and report["best"] in report["plans"]
    assert set(report["best"]) == {"k", "n", "nr", "delta", "utilization", "goodput_mbps", "packet_loss", "delay_ms"}
    code, out, _ = arqlink("plan", "--config", "tiny", "--packet-bytes", "512", "--delay-ms", "1", "--goal", "loss=1e-3")
    assert code == 0 and "goal loss=0.001" in out and "N retx" in out
