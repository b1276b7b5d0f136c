# SPDX-License-Identifier: Apache-2.0
"""TCP over the link through gateways that look into packets: `arqlink tcp --gateway` and the topologies that have one."""

import statistics
from pathlib import Path

import pytest

from arqlink_research.papers import figure, onboard, reservation
from arqlink_research.paths import dark_intervals
from arqlink_research.tcp import measurement
from arqlink_research.tcp import point as points
from tests import seeds

pytestmark = pytest.mark.research

PLAIN = {"connections": 1, "delay_ms": 200.0, "loss": 0.0003, "n": 10, "delta": 0, "window": 600, "seconds": 60.0, "warm_up": 10.0}
"""A packet in 55 is lost."""


def run(settings, seed=1):
    point = points.from_settings(settings)
    result = measurement.simulate(point, seeds.seed_of(seed))
    return measurement.values(point, result), result


def utilization(settings, seeds=1):
    return statistics.mean(run(settings, seed)[0]["utilization"] for seed in range(1, seeds + 1))


@pytest.mark.parametrize("variant", ["NewReno", "Cubic", "Hybla"])
def test_a_gateway_that_passes_all_changes_nothing(variant):
    """TCP of ns-3 sends the same packets then, whose checksums nobody looks at."""
    without, through = (run(PLAIN | {"variant": variant, "gateway": mode})[0] for mode in ("none", "pass"))
    assert through["goodput"] == pytest.approx(without["goodput"], rel=0.02)
    assert through["retransmissions"] == pytest.approx(without["retransmissions"], rel=0.1)


@pytest.mark.parametrize("variant", ["reno", "NewReno", "Cubic"])
def test_what_each_mode_gives(variant):
    """Local repairs make Snoop faster than TCP from end to end, and a gateway that takes data over is faster by far. Without SACK it mends one loss
    in each round trip: 0.60 of nine seeds, whose standard deviation is 0.05."""
    plain, snoop, split = (utilization(PLAIN | {"variant": variant, "gateway": mode}, seeds=9) for mode in ("none", "snoop,cache=1000", "split"))
    assert snoop > 1.3 * plain and split > (0.5 if variant == "reno" else 0.9)


@pytest.mark.parametrize("variant", ["NewReno", "reno"])
def test_no_mode_costs_throughput_where_the_air_loses_nothing(variant):
    """Five connections overflow a queue of 50 packets as they start: what the gateway has no room for is the source's to mend, and may not be hidden."""
    star = {"topology": "vsat-star", "n": 10, "delta": 0, "loss": 0, "seconds": 25.0, "warm_up": 0.0, "initial_window": 2, "variant": variant}
    found = {mode: run(star | {"gateway": f"{mode},cache=1500,queue=50"})[0]["utilization"] for mode in ("pass", "clamp", "snoop", "split", "proxy")}
    plain = found.pop("pass")
    assert all(through > 0.98 * plain for through in found.values()), (plain, found)


def test_a_clamp_keeps_the_queue_short():
    """A queue of 400 packets is filled by the window of the receiver; with a third of 120 packets there are 40 under way."""
    long = PLAIN | {"loss": 0.0, "variant": "NewReno", "delay_ms": 20.0, "buffer": 400, "seconds": 40.0}
    free, clamped = (run(long | {"gateway": mode})[0] for mode in ("pass,queue=400", "clamp,cache=120,queue=400"))
    assert clamped["rtt"] < 0.6 * free["rtt"] and clamped["utilization"] > 0.95 * free["utilization"]


@pytest.mark.parametrize("seed", [2, 5])
def test_acks_never_end_where_a_block_of_sack_began(seed):
    """ns-3's TCP ends the simulation then. A proxy that acknowledges what leaves has told of segments beyond a gap before it is filled."""
    run(onboard.FIXED | onboard.SLOW | onboard.bit_errors(1e-6) | {"variant": "Westwood2001"} | onboard.cache("westwood")(30), seed)


@pytest.mark.parametrize("more, spurious", [({"ord": 0, "delta": 3}, 1), ({"variant": "NewReno"}, 0)], ids=["repaired by the link", "lost"])
def test_what_a_proxy_sends_again_without_need_is_counted(more, spurious):
    """A link that delivers out of sequence loses nothing, so what the proxy takes for lost arrives twice. Without ARQ, with SACK, what it repeats was lost."""
    found = run(PLAIN | {"gateway": "proxy"} | more)[0]
    assert found["gateway_retransmissions"] >= 10 and found["spurious"] == pytest.approx(spurious, abs=0.1) and found["retransmissions"] == 0


# ACK reservation -----------------------------------------------------------------------------------------------------------


def in_shares_of_mu(settings, seed=1):
    return reservation.SHARE * run(settings, seed)[0]["utilization"]


def test_the_line_carries_mu():
    """250 segments a second, without outages."""
    path = {name: value for name, value in reservation.FIXED.items() if name != "outage"} | reservation.gateway(350, 0.7) | {"seconds": 100.0}
    assert in_shares_of_mu(path) == pytest.approx(1, abs=0.005)


def test_reservation_is_within_3_percent_of_what_an_outage_leaves():
    """0.75; without reservation it is far below, as the source sleeps until its timer expires."""
    path = reservation.FIXED | reservation.terrestrial(50) | {"seconds": 400.0}
    assert in_shares_of_mu(path | reservation.gateway(185, 0.88)) > 0.97 * 0.75
    assert in_shares_of_mu(path | reservation.gateway(185, 1.0, "open") | {"min_rto": 1.3}) < 0.55


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_the_same_with_the_rtl_as_the_link():
    """On `paper8`, whose share for segments is another one: it is measured without outages."""
    path = figure.on_rtl(reservation.FIXED | reservation.terrestrial(50)) | {"warm_up": 40.0, "seconds": 160.0}
    without = {name: value for name, value in path.items() if name != "outage"} | reservation.gateway(350, 0.88) | {"link": "event"}
    most = run(without)[0]["utilization"]
    assert run(path | reservation.gateway(185, 0.88))[0]["utilization"] > 0.97 * 0.75 * most
    assert run(path | reservation.gateway(185, 1.0, "open") | {"min_rto": 1.3})[0]["utilization"] < 0.55 * most


TABLE_1 = {(175, 0.86): 0.730, (175, 0.95): 0.726, (200, 0.75): 0.739, (200, 0.85): 0.7364, (175, 1.0): 0.492, (200, 1.0): 0.495}
"""Throughputs that the paper has simulated."""


@pytest.mark.parametrize("buffer, threshold", TABLE_1)
def test_table_1(buffer, threshold):
    """Within 0.02 with TCP of RFC 5681. The link's ARQ takes three ways to notice an outage's end and to repair, the paper's took two."""
    path = reservation.FIXED | reservation.terrestrial(100) | {"variant": "reno", "seconds": 400.0}
    gateway = reservation.gateway(buffer, threshold, "room" if threshold < 1 else "open") | ({} if threshold < 1 else {"min_rto": 1.3})
    assert in_shares_of_mu(path | gateway) == pytest.approx(TABLE_1[buffer, threshold], abs=0.02)


def test_another_buffer_is_not_in_the_table():
    """What the test above would notice: 15 packets fewer."""
    path = reservation.FIXED | reservation.terrestrial(100) | {"variant": "reno", "seconds": 400.0}
    assert in_shares_of_mu(path | reservation.gateway(150, 0.95)) < TABLE_1[175, 0.95] - 0.02


# On board ------------------------------------------------------------------------------------------------------------------


def test_a_proxy_on_board_needs_three_pipes_of_cache():
    """Ten packets hold a connection back, more than with no proxy; with three times the pipe of 21 packets it is faster than without."""
    path = onboard.FIXED | onboard.SLOW | onboard.bit_errors(1e-6) | {"variant": "reno"}
    none = utilization(path, 8)
    short, pipes = (utilization(path | onboard.cache("newreno")(packets), 8) for packets in (10, 63))
    assert short < 0.7 * none and pipes > 1.15 * none


def test_a_second_satellite_is_further():
    """By the way between them, where no queue grows."""
    path = {"gateway": "none", "seconds": 20.0, "warm_up": 10.0, "loss": 0.0, "window": 4}
    near, far = (run(path | {"topology": name})[0]["rtt"] for name in ("onboard", "double-geo"))
    assert near == pytest.approx(4 * 0.125, abs=0.06) and far - near == pytest.approx(2 * 0.207, abs=0.001)


# Shadows -------------------------------------------------------------------------------------------------------------------


def test_a_street_takes_what_its_houses_hide():
    """Over a link that repairs all, with a gateway that waits for it: within 0.1 of the share of the time that is left, of which outages take a part to
    notice their end. A satellite in the zenith is always in sight."""
    path = {"topology": "onboard", "gateway": "split,cache=400", "variant": "reno", "rate_mbps": 1.0, "loss": 0.0, "n": 10, "delta": "inf", "poll_ms": 50.0}
    path, street = path | {"seconds": 600.0, "warm_up": 10.0}, seeds.seed_of("street")
    low, high = (points.from_settings(path | {"shadowing": shadowing}) for shadowing in ("30,60", "90"))
    values = [measurement.values(point, measurement.simulate(point, street))["utilization"] for point in (low, high)]
    assert low.shadowing and high.shadowing and high.shadowing.street(street).share == 0 and values[1] > 0.9
    hidden = dark_intervals.total(dark_intervals.within(low.shadowing.street(street).shadowed, 10, 610)) / 600
    assert hidden > 0.2 and (1 - hidden) * values[1] - 0.1 < values[0] < (1 - hidden) * values[1] + 0.02


def test_seeds_have_streets_of_their_own():
    point = points.from_settings({"topology": "onboard", "shadowing": "30"})
    assert point.erasures(1) != point.erasures(2) and point.erasures(1) == point.erasures(1)
    point.write_channel(1)
    there, back = (Path(process["file"]).read_text() for process in point.erasures(1))
    assert there != back  # what leaves for the street is there after the delay
