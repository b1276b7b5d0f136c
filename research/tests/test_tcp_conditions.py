# SPDX-License-Identifier: Apache-2.0
"""What surrounds TCP connections over the link: other traffic, a slower line back, satellites that move."""

import json
import statistics

import numpy as np
import pytest
from typer.testing import CliRunner

from arqlink.cli.main import app
from arqlink_research.paths import dark_intervals
from arqlink_research.tcp import measurement
from arqlink_research.tcp import point as points
from tests import seeds

pytestmark = pytest.mark.research

PLAIN = {"connections": 1, "delay_ms": 20.0, "loss": 0.0, "n": 10, "delta": 0, "variant": "NewReno", "window": 20, "seconds": 200.0, "warm_up": 10.0}
"""Little traffic on a good line of 2 Mb/s: twenty packets of 1500 bytes in a round trip of 130 ms or more."""
SEEDS = (1, 2, 3)


def run(settings, seed=1, trace=0.0):
    point = points.from_settings(PLAIN | settings)
    result = measurement.simulate(point, seeds.seed_of(seed), trace)
    return measurement.values(point, result), result


def mean(settings, name, seeds=SEEDS):
    return statistics.mean(run(settings, seed)[0][name] for seed in seeds)


# Background traffic ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [0.1, 0.4])
def test_datagrams_come_at_the_rate_that_was_asked_for(rate):
    """On for half of the time, in pieces of a second: over 600 s the share on has a standard deviation of 0.02, so 5 of them are a fifth."""
    assert mean({"background": f"udp={rate}"}, "background") == pytest.approx(rate * 1e6, rel=0.2)


def test_files_come_at_the_rate_that_was_asked_for():
    """600 s have 150 files of 200 kB, exponential: 5 standard deviations of their sum are 0.58 of it. ACKs go back."""
    values = [run({"background": "ftp=0.4", "window": 5}, seed)[0] for seed in SEEDS]
    assert statistics.mean(one["background"] for one in values) == pytest.approx(0.4e6, rel=0.58)
    assert all(0 < one["background_back"] < 0.1 * one["background"] for one in values)


def test_users_of_the_web_read_and_load_pages():
    """Two round trips at least for a page, one to open the connection and one for each of its objects; twice the users load twice as much."""
    few, many = (run({"background": f"web={users}", "window": 5}) for users in (20, 40))
    for values, result in (few, many):
        assert 0.16 < values["page_time"] < 10 and result.values["pages"] > 20
    assert many[1].values["pages"] == pytest.approx(2 * few[1].values["pages"], rel=0.4)


def test_calls_are_lost_and_delayed_as_the_link_says():
    """At one unit in 200, 8 units of a datagram, δ = 0: 1 - 0.995^8 = 3.9 % of 10,000 x 3; 5 standard deviations are 0.6 %. Without other traffic
    a datagram takes the delay, and its time on the lines. Over ARQ a lost one takes a round trip more, or two, and those behind it wait."""
    calls = {"background": "voice=1", "window": 1, "connections": 1, "sender_ms": 0.0, "receiver_ms": 0.0, "delay_ms": 100.0}
    bare = [run(calls | {"loss": 0.005}, seed)[0] for seed in SEEDS]
    assert statistics.mean(one["voice_loss"] for one in bare) == pytest.approx(1 - 0.995**8, abs=0.006)
    assert all(0.1 < one["voice_delay"] <= one["voice_delay_99"] < 0.13 for one in bare)
    repaired = run(calls | {"loss": 0.005, "delta": 5})[0]
    assert repaired["voice_loss"] == 0 and 0.3 < repaired["voice_delay_99"] < 0.55


def test_traffic_back_is_on_the_line_back():
    values, _ = run({"background": "udp-back=0.3,ftp-back=0.1"})
    assert values["background_back"] > 0.2e6 and values["background"] < 0.02e6


def test_background_takes_its_share_of_the_line():
    """Of a line that one connection fills."""
    full = {"window": 200}
    alone, beside = (run(full | more)[0] for more in ({}, {"background": "udp=0.8"}))
    assert alone["utilization"] > 0.93 and alone.get("background") is None
    assert beside["utilization"] + beside["background"] / 2e6 == pytest.approx(alone["utilization"], abs=0.06)


@pytest.mark.parametrize("gateway", ["snoop", "split,cache=256"])
def test_gateways_treat_its_connections_too(gateway):
    """Each file has a flow of its own; datagrams pass."""
    _, result = run({"gateway": gateway, "background": "ftp=0.2,udp=0.1,web=5", "seconds": 60.0})
    assert result.gateways[0]["flows_opened"] > 10 and result.gateways[0]["not_tcp"] > 100


# The line back ---------------------------------------------------------------------------------------------------------------


def test_acks_wait_for_a_slow_line_back():
    """An ACK takes three units: at 0.02 Mb/s 100 times 0.3 ms. Of the 80 ACKs a second that a full line asks for it carries no more than 33."""
    fast, slow = (run({"window": 200, "seconds": 60.0} | more)[0] for more in ({}, {"return_mbps": 0.02}))
    assert slow["rtt"] > fast["rtt"] + 0.5 and fast["utilization"] > 0.93
    assert slow["utilization"] < 2 * 33 * 12e3 / 2e6


def test_the_way_there_is_as_fast_as_before():
    """Datagrams there do not need the line back."""
    values, _ = run({"background": "udp=0.8", "window": 1, "return_mbps": 0.1, "seconds": 60.0})
    assert values["background"] == pytest.approx(0.8e6, rel=0.3)


# Low orbits ------------------------------------------------------------------------------------------------------------------


def orbit(more=None):
    """The point, and its path by seed."""
    point = points.from_settings({"topology": "leo"} | (more or {}))
    assert point.orbit
    return point, point.orbit.path


LEO = {"topology": "leo", "gateway": "none", "window": 2, "seconds": 100.0, "ack_every": 1, "rate_mbps": 5.0}


def test_the_round_trip_follows_the_orbit():
    """Two segments under way, so no queue: the round trips of two pairs of stations differ by what the tables of their delays say."""
    pairs = ("new-york,san-francisco", "rome,los-angeles")
    rtts = [run(LEO | {"orbit": pair, "delay_ms": 75.0})[0]["rtt"] for pair in pairs]
    tables = [orbit({"orbit": pair})[1](seeds.seed_of(1)).table for pair in pairs]
    delays = [np.mean([table.at(time) for time in np.arange(10, 110, 0.5)]) for table in tables]
    assert delays[1] - delays[0] > 0.015
    assert rtts[1] - rtts[0] == pytest.approx(2 * (delays[1] - delays[0]), abs=0.001)


def test_each_seed_has_satellites_of_its_own():
    point, path = orbit()
    first, second = (path(seed).table for seed in (1, 2))
    assert first.delays[:10] != second.delays[:10] and path(1).table.delays == first.delays
    assert max(first.delays) < 1e-3 * point.setup.delay_ms, "timers are for the longest delay"


def test_gaps_at_hand_overs_lose_what_was_under_way():
    smooth, rough = (run(LEO | {"orbit": f"new-york,san-francisco,{gap}", "window": 10, "rate_mbps": 1.0, "seconds": 400.0})[1] for gap in (0, 500))
    lost = rough.counters["a"]["tx_outcomes_failed"]
    assert smooth.counters["a"]["tx_outcomes_failed"] == 0 and lost > 5


def test_the_files_of_an_orbit_say_the_same_times(tmp_path):
    """Its delays, and what is dark, begin again at the same clock."""
    _, path = orbit({"orbit": "new-york,san-francisco,100"})
    table = path(3).table
    for clock_hz, cycle in ((1000.0, 1200000), (1000.0003, 1200000), (1000.0006, 1200001)):
        for write in (table.write, table.write_outages):
            write(tmp_path / write.__name__, clock_hz)
        cycles = [(tmp_path / name).read_text().splitlines()[1] for name in ("write", "write_outages")]
        assert cycles == [f"cycle {cycle}"] * 2
    assert dark_intervals.total(table.outages) == pytest.approx(0.1 * len(path(3).handovers), abs=1e-9)


# Traces ----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["reno", "NewReno", "Vegas"])
def test_windows_and_rates_are_sampled(variant):
    """The mean of the rates is the goodput; a window that limits is seen."""
    values, result = run({"variant": variant, "window": 20, "seconds": 50.0, "connections": 2}, trace=0.5)
    rates = np.array(result.rates)
    assert rates.shape[1] == 3 and rates[1:, 1:].sum(axis=1).mean() == pytest.approx(values["goodput"], rel=0.05)
    windows = np.array(result.windows)
    assert windows.shape == rates.shape and (windows[:, 1:] >= 1).all() and windows[:, 1:].max() > 4


# The command -----------------------------------------------------------------------------------------------------------------


def test_the_command_has_all_of_it():
    text = "tcp --topology leo --variant Hybla --background web=5,udp=0.1 --return-mbps 0.5 --seconds 20 --warm-up 1 --seed 1-2 --json"
    done = CliRunner().invoke(app, text.split())
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["settings"]["orbit"] == "new-york,san-francisco,0" and report["settings"]["return_mbps"] == 0.5
    assert report["settings"]["background"] == "web=5,udp=0.1" and report["background"]["mean"] > 0 and report["utilization"]["model"] is None


@pytest.mark.parametrize(
    "arguments, message",
    [
        ("--background web=5", "Background traffic needs a TCP of ns-3 that ends at the receiver; give --variant NewReno"),
        ("--background news=5 --variant Cubic", "'news' is no background traffic; there are web, voice, ftp, ftp-back, udp, udp-back"),
        ("--background voice=1.5 --variant Cubic", "'voice=1.5' is no background traffic; voice has a number of calls"),
        ("--background ftp=much --variant Cubic", "'ftp=much' is no background traffic; ftp has Mb/s"),
        ("--background web --variant Cubic", "'web' is no background traffic; web has a number of users"),
        ("--background web=0.5 --variant Cubic", "'web=0.5' is no background traffic"),
        ("--background udp=1,udp=2 --variant Cubic", "The background has 'udp' twice."),
        ("--background udp=-1 --variant Cubic", "The rate of udp is -1 Mb/s; it must be 0, or 0.001 to 1000."),
        ("--background udp=1e-9 --variant Cubic", "The rate of udp is 1e-09 Mb/s"),
        ("--background udp=nan --variant Cubic", "The rate of udp is nan Mb/s"),
        ("--background web=2000 --variant Cubic", "There are 2000 users of the web; they must be 0 to 1000."),
        ("--return-mbps 0.7", "The line back has 0.7 Mb/s; the line's 2 Mb/s must be a whole multiple of it."),
        ("--return-mbps 4", "The line back has 4 Mb/s"),
        ("--return-mbps 0", "The line back has 0 Mb/s"),
        ("--return-mbps 0.001", "The line back is 2000 times slower; it may be 1000 times."),
        ("--orbit rome", "The orbit is 'rome'; write STATION,STATION[,GAP_MS]."),
        ("--orbit rome,paris", "'paris' is not a station; there are new-york"),
        ("--orbit rome,new-york,-1", "The gap of a hand-over is -1 ms; it must be 0 to 1e5."),
        ("--orbit rome,new-york --outage 10,100", "Give one of outages, shadowing and an orbit."),
        ("--orbit rome,new-york --topology onboard", "An orbit is a path over satellites without a gateway"),
        ("--orbit rome,new-york --loss fading:5,0.1", "Between outages and shadows units are lost independently"),
    ],
)
def test_errors_are_one_sentence(arguments, message, arqlink):
    code, _, error = arqlink("tcp", *arguments.split())
    assert code == 2 and error.startswith(message) and error.count("\n") == 1
