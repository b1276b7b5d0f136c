# SPDX-License-Identifier: Apache-2.0
"""`arqlink plan --gateway`: the paper's link, links that lose units, and what the command prints."""

import json
import math
from dataclasses import replace

import pytest

from arqlink import tree
from arqlink.model import gateway_plan, planner
from arqlink.model.link_setup import LinkSetup
from arqlink.model.loss import Bernoulli
from arqlink.model.planner import Goal, Plan
from arqlink_research.sweep import kinds

PAPER = ("plan", "--gateway", "--loss", "0", "--packet-bytes", "1500", "--rate-mbps", "3", "--delay-ms", "250", "--rest-ms")
"""250 packets a second, and 500 ms to the receiver and back."""


def setup(loss=0.01, **options):
    return LinkSetup(config="paper", loss=Bernoulli(loss), delay_ms=250, rate_mbps=2, packet_bytes=1500, delta=math.inf, **options)


def values(arqlink, *arguments):
    code, out, _ = arqlink(*arguments, "--json")
    assert code == 0
    return json.loads(out)


def test_the_link_of_the_paper(arqlink):
    """A packet takes 4 ms itself, one more than the 500 ms of the paper have."""
    report = values(arqlink, *PAPER, "50", "--outage", "10000,40000")
    assert report["packets_per_second"] == pytest.approx(250) and report["satellite_ms"] == pytest.approx(504, abs=0.5)
    assert report["terrestrial_pipe"] == pytest.approx(12.5) and report["satellite_pipe"] == pytest.approx(126, abs=0.2)
    assert report["least_buffer"] == pytest.approx(182.8 + 1, abs=0.2) and report["buffer"] == 184
    assert report["reserve"] == pytest.approx(0.88, abs=0.005) and report["reserved_acks"] == 22
    assert report["outage"]["share"] == report["outage"]["most"] == 0.75 and report["outage"]["recovery_ms"] == 0
    assert report["without_outage"] == {"share": 1, "mbps": pytest.approx(3)} and report["outage"]["mbps"] == pytest.approx(2.25)
    assert report["gateway"] == "split,cache=184,reserve=0.883152"
    assert math.floor(0.883152 * 184) == 184 - report["reserved_acks"]


def test_a_buffer_of_table_1(arqlink):
    """One packet more than the table's 200, as B2 is one more."""
    report = values(arqlink, *PAPER, "100", "--buffer", "201", "--outage", "10000,40000")
    assert report["buffer"] == 201 and report["reserved_acks"] == 50 and report["least_buffer"] == pytest.approx(319.75, abs=0.2)
    assert report["outage"]["share"] == pytest.approx(0.739, abs=0.003) and report["outage"]["recovery_ms"] == pytest.approx(2100, abs=10)
    assert report["outage"]["missed"] == pytest.approx(127.7, abs=1)


def test_losses_make_the_way_longer_and_the_rate_less():
    clear, lossy = (gateway_plan.choose(setup(loss), Goal(), 80) for loss in (0.0, 0.05))
    assert lossy.path.rate < clear.path.rate and lossy.path.satellite > clear.path.satellite + 0.05
    assert clear.path.satellite == pytest.approx(0.506, abs=0.001) and clear.path.rate == pytest.approx(2e6 / 12000)
    assert lossy.path.is_full and clear.path.is_full and lossy.link.packet_loss == clear.link.packet_loss == 0


def test_the_link_is_as_good_as_any_that_gives_up_nothing():
    chosen, link = gateway_plan.choose(setup(), Goal(), 80).link, setup()
    assert math.isinf(chosen.setup.delta)
    for k in planner.lengths_of_frame(link):
        for n in range(k, k + 3):
            assert Plan(replace(link, k=k, n=n, nr=n)).utilization <= chosen.utilization * (1 + 2 * planner.EQUAL)
    assert gateway_plan.choose(setup(), Goal(), 80, k=10).link.setup.k == 10


def test_less_buffer_and_longer_outages_cost_throughput():
    plans = [gateway_plan.choose(setup(), Goal(), 80, buffer) for buffer in (None, 210, 190, 180)]
    shares = [plan.outage(10, 40)["share"] for plan in plans]
    assert shares[0] == 0.75 and sorted(shares, reverse=True) == shares and len(set(shares)) == 4
    assert [plan.values()["without_outage"]["share"] for plan in plans[:3]] == [1, 1, 1] and plans[3].values()["without_outage"]["share"] < 1
    assert plans[0].outage(20, 40)["share"] == 0.5


def test_table(arqlink):
    code, out, _ = arqlink("plan", "--gateway", "--outage", "10000,40000")
    assert code == 0
    for words in (
        "buffer (B)",
        "B_min",
        "best K by eq. 11",
        "throughput without outage",
        "dark for 10000,40000 ms, of 0.75",
        "split,cache=218,reserve=",
    ):
        assert words in out
    code, out, _ = arqlink("plan", "--gateway")
    assert code == 0 and "dark for" not in out and "recovery" not in out


TABLE_1 = {
    "loss": 0, "delta": "inf", "n": 10, "rate_mbps": 3, "delay_ms": 250, "connections": 1, "sender_ms": 50, "sender_mbps": 100,
    "receiver_ms": 0, "receiver_mbps": 1000, "ack_every": 1, "max_rto": 50, "outage": "10000,40000", "seconds": 400, "warm_up": 40,
}  # fmt: skip
"""The path of docs/papers.md: T1 = 100 ms."""


def carried(gateway):
    return kinds.TCP.run(TABLE_1 | {"gateway": f"split,{gateway}"}, 1)["utilization"]


@pytest.mark.full
def test_what_reservation_gives():
    """A gateway that leaves windows open, with the reservation that is planned for its buffer; and one that closes them, without."""
    path = gateway_plan.choose(replace(setup(0.0), rate_mbps=3), Goal(), 100, 201)
    mode, *words = path.description().split(",")
    assert mode == "split"
    planned, without, closing = carried(",".join(["advertise=open", *words])), carried("advertise=open,cache=201"), carried("cache=177")
    assert path.path.least_buffer_closing == pytest.approx(176, abs=0.1)
    assert without < 0.65 and planned == pytest.approx(closing, abs=0.001) and closing > 0.715
    assert carried("cache=160") < closing - 0.03


@pytest.mark.docs
def test_numbers_of_the_page():
    """Those of the gateway in docs/papers.md, each simulated again."""
    rows = [line.split(" | ") for line in (tree.ROOT / "docs" / "papers.md").read_text().splitlines() if "cache=" in line and line.startswith("| `")]
    assert len(rows) == 7
    for gateway, _, _, written in rows:
        assert f"{carried(gateway.strip('|` ')):.3f}" == written.strip(" |"), gateway
