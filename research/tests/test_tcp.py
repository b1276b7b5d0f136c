# SPDX-License-Identifier: Apache-2.0
"""TCP over the link: what is simulated against what must be, the command, and its errors."""

import json
import math
import statistics
from dataclasses import replace

import pytest
from scipy import stats
from typer.testing import CliRunner

from arqlink.cli.main import app
from arqlink.errors import UserError
from arqlink.model import intervals
from arqlink.model.link_setup import LinkSetup
from arqlink.model.loss import Bernoulli, GilbertElliott
from arqlink.seeds import parse_sample, parse_seeds
from arqlink_research.tcp import measurement
from arqlink_research.tcp import point as points
from arqlink_research.tcp.point import Point
from tests import seeds


def setup(n=11, delta=5.0, p=0.01, delay_ms=200.0, config="paper"):
    return LinkSetup(config=config, n=n, delta=delta, loss=Bernoulli(p), delay_ms=delay_ms, packet_bytes=1500)


@pytest.fixture(scope="module")
def hybrid():
    """N = 11, persistency 5, p = 0.01: one seed, 100 s."""
    point = Point(setup(), seconds=100)
    return point, measurement.simulate(point, seeds.seed_of(1))


def test_loss_of_frames_is_that_of_the_code(hybrid):
    """P_T of eq. 4, with 99.9 % confidence; a code with one unit more or less is outside."""
    point, result = hybrid
    failed, sent = result.counters["a"]["tx_outcomes_failed"], sum(result.counters["a"][name] for name in ("tx_outcomes_failed", "tx_outcomes_ok"))
    interval = intervals.clopper_pearson(failed, sent, 0.999)
    # Nearly all frames have K = 10 units.
    assert [interval.contains(point.setup.loss.failure(n, 10)) for n in (10, 11, 12)] == [False, True, False]


@pytest.mark.full
@pytest.mark.parametrize("delay_ms", [20.0, 100.0, 200.0])
@pytest.mark.parametrize("p", [0.01, 0.001])
def test_losses_and_useful_share_are_those_of_eqs_4_to_6(p, delay_ms):
    """ARQ alone, persistency 1, ten connections, six seeds of 300 s, or ten times as long where losses are ten times as rare: P_T and P_F within exact
    99.9 % intervals, and alpha within the 99.9 % interval of the seeds' mean; a p that is 3 % larger is outside of that of P_T. Six settings with three
    values each: an error in 50 runs of them all."""
    point = Point(setup(10, 1, p, delay_ms), seconds=3 / p)
    failed, sent, abandoned, frames, alphas = 0, 0, 0, 0, []
    for seed in range(1, 7):
        a = measurement.simulate(point, seeds.seed_of(seed)).counters["a"]
        known, given_up = a["tx_outcomes_failed"] + a["tx_outcomes_ok"], a.get("tx_frames_abandoned", 0)
        resolved = a["tx_frames_acked"] + given_up
        failed, sent, abandoned, frames = failed + a["tx_outcomes_failed"], sent + known, abandoned + given_up, frames + resolved
        # Of what has an outcome: packets have six frames of ten units, and all are sent by A.
        alphas.append((resolved / 6 - a.get("tx_packets_lost", 0)) * 6 / known)
    model, other = point.setup.model(), setup(10, 1, 1.03 * p, delay_ms).model()
    p_t, p_f = (intervals.clopper_pearson(*counts, 0.999) for counts in ((failed, sent), (abandoned, frames)))
    assert p_t.contains(model.p_t) and not p_t.contains(other.p_t)
    assert p_f.contains(model.p_f)
    spread = stats.t.ppf(0.9995, len(alphas) - 1) * statistics.stdev(alphas) / math.sqrt(len(alphas))
    assert abs(statistics.mean(alphas) - model.alpha) <= spread < 0.012


def test_no_packet_is_lost_at_that_persistency(hybrid):
    _, result = hybrid
    assert result.counters["a"]["tx_frames_abandoned"] == 0
    assert len(result.goodputs) == 10 and 0.8 < sum(result.goodputs) / 2e6 < 10 / 11 + 0.01


def test_a_seed_repeats_its_run(hybrid):
    point, result = hybrid
    again, other = measurement.simulate(point, seeds.seed_of(1)), measurement.simulate(point, seeds.seed_of(2))
    assert again.goodputs == result.goodputs and again.counters == result.counters
    assert other.goodputs != result.goodputs


@pytest.mark.parametrize("n, delta, p, low, high", [(10, 0, 0.0, 0.9, 1.005), (10, 0, 0.01, 0.0, 0.1), (12, 0, 0.01, 0.7, 0.84), (10, 5, 0.001, 0.9, 1.0)])
def test_utilization_of_extremes(n, delta, p, low, high):
    """Without loss the line is full; at p = 0.01 TCP alone gets next to nothing, and N = 12 what RR-4752, Fig. 3 shows (0.83 = 10/12)."""
    report = measurement.measure(Point(setup(n, delta, p), seconds=150, warm_up=60), [seeds.seed_of(1), seeds.seed_of(2)])
    assert low <= report["utilization"]["mean"] <= high, report


def test_the_round_trip_without_a_queue():
    """One connection with some percent of the line: T + 2 D, the time of the packets on the lines, and what delayed ACKs wait, 100 ms at most."""
    report = measurement.measure(Point(setup(n=12, delta=0, p=0.02), connections=1, seconds=60), [seeds.seed_of(1)])
    assert report["utilization"]["mean"] < 0.2
    assert 0.48 < report["rtt"]["mean"] < 0.58


@pytest.mark.parametrize("config", ["paper8", pytest.param("paper", marks=pytest.mark.full)])
def test_both_models_carry_a_short_transfer_alike(config):
    """No loss, so the seeds of the channels do not matter: the rtl link reports deliveries some clocks late."""
    one = setup(n=10, delta=1, p=0.0, delay_ms=20.0, config=config)
    event, rtl = (measurement.simulate(Point(one, connections=2, link=link, seconds=3.0, warm_up=0.0), 1) for link in points.LINKS)
    assert sum(event.goodputs) > 0.5e6
    assert event.goodputs == pytest.approx(rtl.goodputs, rel=0.02)
    assert event.values["round_trip"] == pytest.approx(rtl.values["round_trip"], rel=0.01)
    assert event.counters["a"]["tx_frames"] == pytest.approx(rtl.counters["a"]["tx_frames"], rel=0.02)


def test_the_rtl_comes_up_where_timers_are_short():
    """Two POLL_TIMEOUTs are less than the clocks in which the tables are cleared: the ends must not rest meanwhile."""
    slow = LinkSetup(config="paper8", n=10, rate_mbps=0.5, delay_ms=3.0, packet_bytes=240)
    assert 2 * slow.timers["POLL_TIMEOUT"] < slow.limits["window_frames"]
    assert sum(measurement.simulate(Point(slow, connections=1, link="rtl", seconds=1.0, warm_up=1.0), 1).goodputs) > 0.1e6


@pytest.mark.parametrize("variant", ["NewReno", pytest.param("Cubic", marks=pytest.mark.full), pytest.param("Bbr", marks=pytest.mark.full)])
def test_tcp_of_ns3(variant):
    report = measurement.measure(Point(setup(delta=5), connections=4, variant=variant, seconds=20, warm_up=10), [seeds.seed_of(1)])
    assert 0.5 < report["utilization"]["mean"] < 0.95
    assert report["rtt"]["mean"] > 0.48 and report["timeouts"]["mean"] >= 0 <= report["spurious"]["mean"] <= 1
    # What the link carries are goodput and copies of it; a packet in the gaps of others may still be missing at the end.
    assert report["utilization"]["mean"] < report["link_utilization"]["mean"] + 0.03


def test_two_states_have_the_loss_that_was_asked_for():
    """As a process in time: the share of erased units is that of the chain in units."""
    chain = GilbertElliott(0.001, 0.02, 0.0, 0.5)
    result = measurement.simulate(Point(replace(setup(), loss=chain), seconds=200), seeds.seed_of(1))
    units = sum(result.counters["a"][name] for name in ("tx_units", "tx_retx_units"))
    assert result.counters["b"]["rx_erased_flag"] / units == pytest.approx(chain.mean(), rel=0.1)


def test_spread():
    assert measurement.spread([1, 2, 3], 2.5) == {"mean": 2, "std": 1, "min": 1, "max": 3, "model": 2.5}
    assert measurement.spread([4])["std"] is None


@pytest.mark.parametrize("text, seeds", [("4-6", [4, 5, 6]), ("7,2", [7, 2]), ("7 2 5", [7, 2, 5]), ("1,4294967295", [1, 4294967295])])
def test_seeds(text, seeds):
    assert parse_seeds(text) == parse_sample(text) == seeds


def test_a_number_alone_is_a_seed_and_in_sweeps_how_many_there_are():
    assert (parse_seeds("3"), parse_sample("3")) == ([3], [1, 2, 3])


@pytest.mark.parametrize("text", ["", "a", "3-1", "1,1", "-2", "1,b"])
@pytest.mark.parametrize("parse", [parse_seeds, parse_sample])
def test_seeds_that_are_none(parse, text):
    with pytest.raises(UserError, match="The seeds are"):
        parse(text)


def test_no_seeds_are_none():
    with pytest.raises(UserError, match="The seeds are '0'; write a number of them"):
        parse_sample("0")


def test_the_command_prints_json():
    done = CliRunner().invoke(app, "tcp --connections 2 --seconds 5 --warm-up 1 --seed 1-2 --delay-ms 20 --json".split())
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["seeds"] == [1, 2] and report["settings"]["connections"] == 2
    for name in ("utilization", "goodput", "rtt", "retransmissions"):
        assert set(report[name]) == {"mean", "std", "min", "max", "model"} and all(math.isfinite(value) for value in report[name].values())


def test_the_command_prints_a_table():
    done = CliRunner().invoke(app, "tcp --connections 1 --seconds 2 --warm-up 0 --seed 1 --delay-ms 20".split())
    assert done.exit_code == 0 and "times real time" in done.stdout and "U: goodput by rate" in done.stdout


@pytest.mark.parametrize(
    "arguments, message",
    [
        ("--connections 0", "The number of connections is 0; it must be 1 to 10000."),
        ("--variant Tahoe", "The TCP variant is 'Tahoe'; it must be one of reno, classic, NewReno"),
        ("--link fpga", "The link is 'fpga'; it must be event or rtl."),
        ("--loss 1", "The loss bernoulli:1 erases all units; some have to pass."),
        ("--seconds 0", "The time is 0 s after 20 s"),
        ("--seed x", "The seeds are 'x'"),
        ("--n 30", "N is 30; with K = 10, configuration 'paper' allows 10 to 18."),
        ("--delta -1", "The persistency is '-1'"),
        ("--ord 2", "ord is 2; it must be 0 or 1."),
    ],
)
def test_errors_are_one_sentence(arguments, message, arqlink):
    code, _, error = arqlink("tcp", *arguments.split())
    assert code == 2 and error.startswith(message) and error.count("\n") == 1


def test_a_simulation_that_cannot_run_says_why():
    """The channel loses all: the link never comes up."""
    with pytest.raises(UserError, match="did not come up"):
        measurement.simulate(Point(setup(p=1.0, delay_ms=1.0), seconds=1), 1)
