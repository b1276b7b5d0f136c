# SPDX-License-Identifier: Apache-2.0
"""TCP over paths other than that of RR-4752: buffers with copies, split connections, fading, outages, windows."""

import json

import pytest
from typer.testing import CliRunner

from arqlink.cli.main import app
from arqlink.errors import UserError
from arqlink_research.papers import zhu
from arqlink_research.tcp import measurement, models
from arqlink_research.tcp import point as points
from tests import seeds

pytestmark = pytest.mark.research

SATELLITE = zhu.FIXED | zhu.satellite(100) | zhu.terrestrial(100) | {"buffer": 50, "warm_up": 20, "seconds": 100}
"""One connection with 250 segments a second at most; T1 = T2 = 100 ms: the satellite path holds 25 segments."""


def run(settings, seed=1):
    point = points.from_settings(settings)
    result = measurement.simulate(point, seeds.seed_of(seed))
    return point, result, measurement.values(point, result)


def test_copies_fill_the_buffer():
    """Without loss and with ten segments of buffer, no more than ten are between their arrival and their acknowledgement by the link, which is
    T2 later: at most 10/(mu T2) of the rate. A buffer of segments that wait for the line would be no such limit."""
    small = SATELLITE | zhu.satellite(500) | zhu.terrestrial(0) | {"loss": 0.0, "buffer": 10}
    kept, waiting = (run(small | {"copies": copies})[2] for copies in (True, False))
    most = 10 / (zhu.RATE * 0.5)
    assert 0.5 * most < kept["utilization"] < 1.02 * most < waiting["utilization"]
    assert kept["queue_drops"] > 0


@pytest.mark.parametrize("buffer, p", [(25, 0.1), (50, 0.1), (50, 0.3), (150, 0.1)])
def test_a_split_connection_has_the_throughput_of_eq_50(buffer, p):
    """Within 8 %, as eq. 49 takes averages for products of averages. Nothing is dropped, as each ACK says how much room there is."""
    point, result, values = run(SATELLITE | zhu.SPLIT | zhu.loss(p) | {"buffer": buffer})
    assert values["utilization"] == pytest.approx(models.expected(point)["utilization"], rel=0.08)
    assert values["queue_drops"] == values["retransmissions"] == 0
    assert result.values["round_trip"] == pytest.approx(0.1, rel=0.01)  # T1 alone: the gateway acknowledges


@pytest.mark.parametrize("variant", ["NewReno", pytest.param("Cubic", marks=pytest.mark.full), pytest.param("Vegas", marks=pytest.mark.full)])
def test_a_split_connection_of_ns3(variant):
    """Within 2 % of eq. 50, and without a loss."""
    point, result, values = run(SATELLITE | zhu.SPLIT | zhu.loss(0.1) | {"buffer": 50, "variant": variant, "window": 600})
    assert values["utilization"] == pytest.approx(models.expected(point)["utilization"], rel=0.02)
    assert result.values["round_trip"] == pytest.approx(0.1, rel=0.01) and values["retransmissions"] == 0


def test_eq_50_is_not_that_of_another_buffer():
    """What the test above would notice: 10 % less buffer."""
    point, _, values = run(SATELLITE | zhu.SPLIT | zhu.loss(0.1) | {"buffer": 50})
    other = points.from_settings(SATELLITE | zhu.SPLIT | zhu.loss(0.1) | {"buffer": 45})
    assert values["utilization"] != pytest.approx(models.expected(other)["utilization"], rel=0.08)


@pytest.mark.parametrize("packet_bytes, p", [(1500, 0.005), (260, 0.01), (510, 0.01)])
def test_a_split_connection_with_several_frames_a_segment(packet_bytes, p):
    """With a buffer that is no limit it has all that the link can carry: frames are sent again, and not segments; the last frame is short."""
    point, _, values = run(SATELLITE | zhu.SPLIT | {"packet_bytes": packet_bytes, "loss": p, "buffer": 400})
    assert values["utilization"] == pytest.approx(models.expected(point)["utilization"], rel=0.02)


def test_the_model_of_the_end_to_end_path_is_a_lower_bound():
    """Eqs. 8 and 20 bound times from above, so eq. 39 is below what is simulated, by up to a half."""
    for p in (0.1, 0.3):
        point, _, values = run(SATELLITE | zhu.DIRECT | zhu.loss(p) | {"warm_up": 100, "seconds": 300})
        assert 0.9 < values["utilization"] / models.expected(point)["utilization"] < 1.6


@pytest.mark.parametrize("connections, buffer", [(2, 30), (5, 20), (10, 30), (10, 12), (2, 2), (2, 8)])
def test_connections_that_share_a_gateway_may_find_it_full(connections, buffer):
    """Each is told of the same room; what is dropped is sent again. None stands still, whatever fills the buffer: half of what one connection
    with this buffer has is the least."""
    settings = SATELLITE | zhu.SPLIT | zhu.loss(0.1) | {"buffer": buffer, "warm_up": 200, "seconds": 200}
    point = points.from_settings(settings)
    for seed in (1, 2):
        _, result, values = run(settings | {"connections": connections}, seed)
        assert values["queue_drops"] > 0 and values["retransmissions"] > 0
        assert values["utilization"] > 0.5 * models.expected(point)["utilization"]
        assert min(result.goodputs) > 0


def test_a_gateway_with_room_for_one_segment():
    """Each waits for the one before: one in T2, and two of T1 for the ACK and the word that there is room."""
    _, _, values = run(SATELLITE | zhu.SPLIT | {"loss": 0.0, "buffer": 1})
    assert values["utilization"] == pytest.approx(1 / (zhu.RATE * 0.2), rel=0.1)


def test_each_segment_has_its_ack_where_acks_are_not_delayed():
    acks = {}
    for every in (1, 2):
        _, result, _ = run(SATELLITE | zhu.DIRECT | {"loss": 0.0, "ack_every": every, "warm_up": 0, "seconds": 50, "buffer": 200, "window": 100})
        acks[every] = result.counters["b"]["tx_packets"] / result.values["segments"]
    assert acks[1] == pytest.approx(1, abs=0.02) and acks[2] == pytest.approx(0.5, abs=0.05)


def test_fading_has_its_share_and_its_length():
    """Units lost, and frames lost: long fades take whole frames, so as many frames as units are lost; short ones spoil more frames. The share that
    1900 long fades take has a deviation of 3 %, so 15 % are five of them."""
    failures = []
    for ms in (2, 40):
        point, result, values = run({"loss": f"fading:{ms},0.05", "n": 10, "seconds": 1500, "connections": 5})
        sent = sum(result.counters["a"][name] for name in ("tx_units", "tx_retx_units"))
        assert result.counters["b"]["rx_erased_flag"] / sent == pytest.approx(0.05, rel=0.15)
        assert values["frame_failure"] == pytest.approx(point.setup.loss.failure(10, 10), rel=0.15)
        failures.append(values["frame_failure"])
    assert failures[0] > 1.3 * failures[1]


def test_a_chain_of_units_is_the_same_in_time():
    """Bad states of two units on average: frames fail as the chain says, and not as that with bad states of 1.5 units."""
    settings = {"loss": "ge:0.05,0.5,0,1", "n": 13, "connections": 5, "seconds": 300}
    point, result, values = run(settings)
    assert values["frame_failure"] == pytest.approx(point.setup.loss.failure(13, 10), rel=0.05)
    other = points.from_settings(settings | {"loss": "ge:0.0667,0.667,0,1"})
    assert values["frame_failure"] != pytest.approx(other.setup.loss.failure(13, 10), rel=0.05)


def test_a_loss_that_hardly_ever_happens_is_none():
    _, result, _ = run({"loss": 1e-25, "n": 10, "connections": 2, "seconds": 5, "warm_up": 1, "delay_ms": 20})
    assert result.counters["b"]["rx_erased_flag"] == 0


def test_the_link_is_dark_in_outages():
    """A fifth of the time, in which all is lost: no more than the rest is left, and nothing is lost between."""
    _, result, values = run({"outage": "200,1000", "loss": 0.0, "n": 10, "delta": "inf", "delay_ms": 20, "connections": 5, "seconds": 100, "warm_up": 20})
    sent = sum(result.counters["a"][name] for name in ("tx_units", "tx_retx_units"))
    assert 0.1 < result.counters["b"]["rx_erased_flag"] / sent < 0.21
    assert 0.3 < values["utilization"] < 0.81


def test_lost_feedback_is_that_of_the_line_back():
    _, result, _ = run({"feedback_loss": "bernoulli:0.2", "connections": 5, "seconds": 50})
    a, b = result.counters["a"], result.counters["b"]
    units = b["tx_control_units"] + b["tx_units"] + b.get("tx_retx_units", 0)
    assert a["rx_erased_flag"] / units == pytest.approx(0.2, rel=0.05)


def test_the_window_limits_what_is_under_way():
    """10 Mb/s over 200 ms: a round trip has some 2000 frames, so a window of 512 carries no more than a quarter of the rate. TCP has
    more under way, and less than the buffer holds."""
    wide = {"rate_mbps": 10.0, "sender_mbps": 100.0, "receiver_mbps": 100.0, "loss": 0.0, "n": 10, "warm_up": 10, "seconds": 20, "window": 60}
    narrow, usual = (run(wide | {"window_frames": window})[2]["utilization"] for window in (512, 4096))
    assert narrow == pytest.approx(512 / 2020, rel=0.03) and usual > 0.9


def test_windows_are_sampled():
    result = measurement.simulate(points.from_settings(SATELLITE | zhu.DIRECT | {"connections": 2, "warm_up": 5, "seconds": 20}), 1, trace=1.0)
    assert len(result.windows) == pytest.approx(20, abs=1) and all(len(sample) == 3 for sample in result.windows)
    assert max(sample[1] for sample in result.windows) > 2 * min(sample[1] for sample in result.windows)


def test_the_command_has_split_connections():
    text = "tcp --topology split --copies --buffer 40 --connections 1 --delta inf --seconds 5 --warm-up 1 --seed 1 --delay-ms 20 --ack-every 1 --json"
    done = CliRunner().invoke(app, text.split())
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["settings"]["topology"] == "split" and report["settings"]["buffer"] == 40
    assert report["utilization"]["model"] is not None and report["rtt"]["model"] is None


@pytest.mark.parametrize(
    "arguments, message",
    [
        ("--topology star", "The topology is 'star'; it must be one of direct, split, reservation, onboard"),
        ("--topology split", "The gateway of a split connection stores a packet until it is acknowledged; give --copies."),
        ("--topology split --copies --variant Cubic", "Several split connections need --variant reno or classic; with 'Cubic' there can be one."),
        ("--sender-mbps 0", "sender_mbps is 0; it must be 0.001 to 1e6 Mb/s."),
        ("--receiver-ms nan", "receiver_ms is nan; it must be 0 to 1e5 ms."),
        ("--buffer 0", "The buffer is 0 packets; it must be 1 to 1000000."),
        ("--window 0", "The window is 0 packets"),
        ("--ack-every 3", "ack_every is 3; it must be 1 or 2."),
        ("--outage 5", "The outage is '5'; write DARK_MS,CYCLE_MS."),
        ("--outage 500,100", "The outage is 500 of each 100 ms"),
        ("--outage 5,100 --loss fading:5,0.1", "Between outages and shadows units are lost independently"),
        ("--loss fading:5", "The loss model 'fading:5' is not understood"),
        ("--loss fading:0,0.1", "The loss model 'fading:0,0.1' must have a duration above 0 ms"),
        ("--loss ge:0.9,0.9,0,1", "The chain ge:0.9,0.9,0,1 changes faster than a process in time can"),
        ("--outage 1e-9,1e-8", "The outage of 1e-09 ms is shorter than a clock."),
        ("--outage 1e300,1e301", "The outage is 1e+300 of each 1e+301 ms"),
        ("--rate-mbps 1e-5 --delay-ms 0", "At this rate the link makes 2.05 clocks a second"),
        ("--rate-mbps 1e9 --delay-ms 0", "At this rate the link makes 2.05e+14 clocks a second"),
        ("--variant Cubic --packet-bytes 52", "A packet has 52 bytes; TCP of ns-3 needs 100 or more"),
        ("--seed 1-1000000000000", "The seeds are '1-1000000000000'; there may be 100000 of them"),
        ("--seed 4294967296,1", "The seeds are '4294967296,1'; there may be 100000 of them, each up to 4294967295."),
        ("--delta ²", "The persistency is '²'"),
        ("--window-frames 64", "The window of the link is 64 frames; a packet of 'paper' may need 369 at K = 1."),
        ("--outage 5,100 --feedback-loss fading:5,0.1", "Between outages and shadows units are lost independently"),
        ("--window-frames 1000", "The window of the link is 1000 frames; it must be a power of two"),
    ],
)
def test_errors_are_one_sentence(arguments, message, arqlink):
    code, _, error = arqlink("tcp", *arguments.split())
    assert code == 2 and error.startswith(message) and error.count("\n") == 1


def test_a_model_is_there_where_it_applies():
    no_model = ({"outage": "5,100"}, {"ord": 0}, SATELLITE | {"delta": 3}, SATELLITE | {"loss": "ge:0.01,0.02,0,0.3"}, SATELLITE | {"loss": 0.999})
    assert not any(models.expected(points.from_settings(settings)) for settings in no_model)
    delayed, prompt = (models.expected(points.from_settings({"n": 12, "loss": 0.03, "delta": 0, "ack_every": every}))["utilization"] for every in (2, 1))
    assert prompt > 1.2 * delayed  # the square root of 2, and timeouts
    with pytest.raises(UserError, match="erases all units"):
        points.from_settings({"loss": 1})
