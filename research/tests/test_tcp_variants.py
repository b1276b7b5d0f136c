# SPDX-License-Identifier: Apache-2.0
"""TCPs of research/tcp/variants: their rules by scripts of ACKs, and what their papers claim by simulation."""

import subprocess
from dataclasses import dataclass, field

import pytest

from arqlink.errors import UserError
from arqlink_research.tcp import builds, measurement
from arqlink_research.tcp.point import Point, from_settings
from tests import seeds

pytestmark = pytest.mark.research

SEGMENT = 1000
"""Bytes."""
LONGEST = 120
"""Seconds that a program may take: a window without bounds takes for ever."""


@dataclass
class State:
    """Window and threshold in segments, estimated bandwidth in segments a second."""

    window: float
    threshold: float
    bandwidth: float


def play(variant, window, threshold, script):
    """The states that a script of `variant_script` asks for, by time."""
    text = f"{variant} {window} {threshold} {SEGMENT}\n" + script
    done = subprocess.run([builds.program("variant_script")], input=text, capture_output=True, text=True, check=True, timeout=LONGEST)
    lines = [line.split() for line in done.stdout.splitlines()]
    return {round(float(time), 9): State(*(float(value) / SEGMENT for value in values)) for _, time, *values in lines}


def last(variant, window, threshold, script):
    """The state after a script."""
    end = float(script.split("\n")[-2].split()[0])
    return play(variant, window, threshold, f"{script}{end} state\n")[end]


# Westwood -------------------------------------------------------------------------------------------------------------


@dataclass
class Westwood:
    """The estimate by the paper's formulas, in segments: (time, next segment) of each ACK."""

    tau: float = 0.5
    m: int = 2
    estimate: float = 0.0
    sample: float = 0.0
    time: float | None = None
    last_ack: int = 0
    accounted_for: int = 0
    history: list = field(default_factory=list)

    def low_pass(self, sample, interval):
        ratio = 2 * self.tau / interval
        self.estimate = (ratio - 1) / (ratio + 1) * self.estimate + (sample + self.sample) / (ratio + 1)
        self.sample = sample

    def acked_count(self, ack):
        cumulative = ack - self.last_ack
        self.last_ack = ack
        if cumulative == 0:
            self.accounted_for += 1
            cumulative = 1
        if cumulative > 1:
            if self.accounted_for >= cumulative:
                self.accounted_for -= cumulative
                cumulative = 1
            else:
                cumulative -= self.accounted_for
                self.accounted_for = 0
        return cumulative

    def acknowledge(self, time, ack):
        if self.time is None:
            self.time, self.last_ack = time, ack
            return
        count = self.acked_count(ack)
        while time - self.time > self.tau / self.m + 1e-12:
            self.low_pass(0.0, self.tau / self.m)
            self.time += self.tau / self.m
        self.low_pass(count / (time - self.time), time - self.time)
        self.time = time


def test_westwood_estimates_by_the_papers_filter():
    """Delayed ACKs, duplicates with the ACK that covers them, and pauses with virtual samples; times are whole microseconds."""
    rng = seeds.rng("acks")
    model, lines, expected, time, ack = Westwood(), [], {}, 0.1, 0
    for _ in range(200):
        time = round(time + rng.choice([1e-3, 5e-3, 0.04, 0.25, 0.9]) * rng.uniform(0.5, 1.5), 6)
        if rng.random() < 0.2:
            lines.append(f"{time} duplicate")
        else:
            ack += rng.choice([1, 2, 2, 5])
            lines.append(f"{time} ack {ack} 0.1")
        model.acknowledge(time, ack)
        lines.append(f"{time} state")
        expected[time] = model.estimate
    states = play("Westwood2001", 1000, 1, "\n".join(lines) + "\n")
    assert len(states) == len(expected) and max(expected.values()) > 50
    for time, estimate in expected.items():
        assert states[time].bandwidth == pytest.approx(estimate, rel=1e-9, abs=1e-9)


def steady(rate=100, seconds=10, round_trip=0.2):
    """`rate` segments a second, each with an ACK."""
    return "".join(f"{i / rate:.6f} ack {i} {round_trip}\n" for i in range(1, rate * seconds + 1))


def test_westwood_finds_the_rate_of_a_steady_stream_and_forgets_it():
    assert last("Westwood2001", 50, 1, steady()).bandwidth == pytest.approx(100, rel=0.01)
    # An ACK a second after the last one: less than half of the rate of before is left, and its own segment.
    assert last("Westwood2001", 50, 1, steady() + "11 ack 1001 0.2\n").bandwidth < 25


def test_westwood_counts_each_segment_once():
    """As many duplicates as segments that the next ACK covers again: the rate stays that of the arrivals."""
    lines, ack, i = [], 0, 0
    for _ in range(100):
        for _ in range(9):
            i += 1
            lines.append(f"{i / 100} duplicate" if ack else f"{i / 100} ack {(ack := 1)} 0.2")
        i, ack = i + 1, ack + 10
        lines.append(f"{i / 100} ack {ack} 0.2")
    assert last("Westwood2001", 50, 1, "\n".join(lines) + "\n").bandwidth == pytest.approx(100, rel=0.03)


def test_westwoods_threshold_is_the_rate_in_the_least_round_trip():
    """100 segments a second for 200 ms, whatever later round trips are; the window of 50 comes down to it, after a timeout from one segment."""
    waiting = steady() + "10.01 ack 1001 0.5\n"
    state = last("Westwood2001", 50, 1, waiting + "10.02 duplicate\n10.03 duplicate\n10.04 duplicate\n10.04 recovery\n10.05 recovered 1005\n")
    assert state.threshold == pytest.approx(20, rel=0.02) and state.window == pytest.approx(state.threshold, abs=0.2)
    state = last("Westwood2001", 50, 1, waiting + "10.02 timeout\n")
    assert state.threshold == pytest.approx(20, rel=0.02) and state.window == 1


def test_westwoods_window_does_not_grow_by_a_loss():
    """A threshold of 20 segments above a window of ten."""
    script = "".join(f"{i / 100:.2f} ack {i} 0.2\n" for i in range(1, 6)) + "".join(f"{i / 100:.2f} duplicate\n" for i in range(6, 1000))
    state = last("Westwood2001", 5, 100, script + "10 recovery\n10.01 recovered 1001\n")
    assert state.threshold == pytest.approx(20, rel=0.03)
    assert state.window == 5 + 5 + 1


def test_westwoods_threshold_is_two_segments_at_least():
    assert last("Westwood2001", 5, 100, "1 ack 1 0.01\n2 ack 2 0.01\n2.1 timeout\n").threshold == 2


# DVegas ---------------------------------------------------------------------------------------------------------------


def loss(time, end, next_segment):
    """Fast recovery from `time` to `end`."""
    return f"{time} recovery\n{end} recovered {next_segment}\n"


def acks(first, last, start, round_trip=0.2, gap=0.005):
    """An ACK of each segment from `first` to `last`, from `start` on."""
    return "".join(f"{start + (i - first) * gap:.6f} ack {i} {round_trip}\n" for i in range(first, last + 1))


def test_dvegas_keeps_its_window_at_a_loss_without_congestion():
    before = last("DVegas", 40, 40, acks(1, 5, 0.2))
    after = last("DVegas", 40, 40, acks(1, 5, 0.2) + loss(0.3, 0.5, 45))
    assert 40 <= before.window <= after.window <= before.window + 1 and after.threshold == before.window


def test_dvegas_returns_to_its_window_after_a_timeout_without_congestion():
    script = acks(1, 5, 0.2) + "1.5 timeout\n"
    assert (state := last("DVegas", 40, 40, script)).window == 1 and state.threshold >= 40
    assert last("DVegas", 40, 40, script + "3 timeout\n").threshold == state.threshold
    assert last("DVegas", 40, 40, acks(1, 5, 0.2) + "0.3 recovery\n1.5 timeout\n").threshold >= 40


def test_dvegas_cuts_at_a_loss_in_congestion():
    state = last("DVegas", 40, 40, "0.1 queue 0.5\n0.3 recovery\n0.4 queue 0\n0.5 recovered 45\n")
    assert state.threshold == 30 and 30 <= state.window <= 31
    assert last("DVegas", 40, 40, "0.1 queue 0.49\n" + loss(0.3, 0.5, 45)).threshold == 40


def test_dvegas_cuts_before_a_loss_once_in_a_round_trip():
    """From 40 segments, in slow start, to 30, and with the first ACK of the next round trip to 22; meanwhile a loss cuts no more."""
    congested = "0.1 queue 0.6\n"
    first = last("DVegas", 40, 100, congested + acks(1, 1, 0.2))
    assert (first.window, first.threshold) == (30, 30)
    assert last("DVegas", 40, 100, congested + acks(1, 39, 0.2)).window == 30
    assert last("DVegas", 40, 100, congested + acks(1, 40, 0.2)).window == 22
    assert last("DVegas", 40, 100, congested + acks(1, 20, 0.2) + loss(0.4, 0.5, 39)).window == 30
    assert last("DVegas", 3, 100, congested + acks(1, 20, 0.2)).window == 2


def test_dvegas_grows_again_when_congestion_is_over():
    script = "0.1 queue 0.6\n" + acks(1, 30, 0.2) + "0.39 queue 0.1\n" + acks(31, 400, 0.4)
    assert 30 < last("DVegas", 40, 100, script).window < 45


# XCP's router ---------------------------------------------------------------------------------------------------------


class XcpRouter:
    """Feedback by section 3.5 and appendix A of the paper; units as in `xcp_script`."""

    ALPHA, BETA, GAMMA = 0.4, 0.226, 0.1

    def __init__(self, bits, first=0.1):
        self.capacity, self.d, self.queue = bits / 8, first, 0.0
        self.interval_end, self.look = first, 0.002
        self.persistent = self.least = 0.0
        self.packets, self.xi_p, self.xi_n, self.give, self.take = [], 0.0, 0.0, 0.0, 0.0

    def _end_interval(self):
        length, sums = self.d, [0.0, 0.0, 0.0]
        for size, window, rtt in self.packets:
            sums[0] += size
            sums[1] += rtt * size / window
            sums[2] += rtt * rtt * size / window
        if sums[1]:
            self.d = sums[2] / sums[1]
        phi = self.ALPHA * self.d * (self.capacity - sums[0] / length) - self.BETA * self.persistent
        h = max(0.0, self.GAMMA * sums[0] / length * self.d - abs(phi))
        per_interval = self.d / length
        self.xi_p = (h + max(phi, 0.0)) / (self.d * sums[1] * per_interval) if sums[1] else 0.0
        self.xi_n = (h + max(-phi, 0.0)) / (self.d * sums[0] * per_interval) if sums[0] else 0.0
        self.give, self.take = (h + max(phi, 0.0)) / self.d, (h + max(-phi, 0.0)) / self.d
        self.packets = []
        self.interval_end += self.d

    def _look(self):
        self.persistent, self.least = min(self.least, self.queue), self.queue
        self.look += max(0.002, (self.d - self.queue / self.capacity) / 2)

    def packet(self, time, size, queue, window, rtt, wanted):
        while min(self.interval_end, self.look) < time:
            if self.interval_end < self.look:
                self._end_interval()
            else:
                self._look()
        self.queue, self.least = queue, min(self.least, queue)
        self.packets.append((size, window, rtt))
        given, taken = self.xi_p * rtt**2 * size / window, self.xi_n * rtt * size
        own = given - taken
        if wanted >= own:
            self.give, self.take = self.give - given / rtt, self.take - taken / rtt
        elif wanted > 0:
            self.give, self.take = self.give - wanted / rtt, self.take - (own - wanted) / rtt
        else:
            self.take += wanted / rtt - max(own, 0.0) / rtt
        if self.give <= 0:
            self.xi_p = 0.0
        if self.take <= 0:
            self.xi_n = 0.0
        return min(wanted, own)


@pytest.mark.parametrize("load, queue, sign", [(0.5, 0, 1), (0.95, 1000, 1), (1.1, 60_000, -1)])
def test_xcp_feedback_is_that_of_the_papers_formulas(load, queue, sign):
    """Packets of three flows at a share of 8 Mb/s, with spare bandwidth, shuffled traffic, or a queue; some ask for less than they would get,
    and some have been told to send less by another router."""
    rng = seeds.rng("packets")
    flows = [(20_000, 0.05), (100_000, 0.21), (300_000, 0.33)]
    time, packets = 0.0005, []
    for _ in range(4000):
        time = round(time + 1000 / (load * 1e6) * rng.uniform(0.5, 1.5), 7)
        waiting = queue * rng.uniform(0.8, 1.2)
        packets.append((time, rng.choice([500, 1500]), waiting, *rng.choice(flows), rng.choice([1e9, 1e9, 5.0, 0.5, -20.0])))
    text = "8e6\n" + "".join(" ".join(map(repr, packet)) + "\n" for packet in packets)
    done = subprocess.run([builds.program("xcp_script")], input=text, capture_output=True, text=True, check=True, timeout=LONGEST)
    router = XcpRouter(8e6)
    expected = [router.packet(*packet) for packet in packets]
    assert [float(line) for line in done.stdout.split()] == pytest.approx(expected, rel=1e-4, abs=1e-4)
    assert sign * sum(value for value, (*_, wanted) in zip(expected, packets, strict=True) if wanted == 1e9) > 0


# Through a bottleneck -------------------------------------------------------------------------------------------------


@dataclass
class Bottleneck:
    """What `dumbbell` printed: (time, bytes in the queue, most since the last sample, bytes of each flow's user), packets dropped."""

    samples: list[tuple[float, ...]]
    dropped: int

    def rates(self, start, end):
        """Bits a second of each flow."""
        first, last = (next(sample for sample in self.samples if abs(sample[0] - time) < 1e-6) for time in (start, end))
        return [8 * (b - a) / (end - start) for a, b in zip(first[3:], last[3:], strict=True)]

    def most(self, start):
        """Bytes that were in the queue at most."""
        return max(sample[2] for sample in self.samples if sample[0] > start)

    def least(self, start):
        """Of the samples."""
        return min(sample[1] for sample in self.samples if sample[0] > start)


def dumbbell(variant, mbps, ms, packets, flows, end, loss=0.0, every=0.5, extra=()):
    """`flows`: start in seconds, and delay of the own line in ms. Packets have 1000 bytes, 1054 on the line."""
    lines = [f"variant {variant}", f"bottleneck {mbps * 1e6} {ms * 1e-3} {packets} {loss}", f"time {end} {every}"]
    lines += [f"flow {start} {delay * 1e-3}" for start, delay in flows] + [f"set {setting}" for setting in extra]
    done = subprocess.run([builds.program("dumbbell")], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True, timeout=LONGEST)
    rows = [line.split() for line in done.stdout.splitlines()]
    return Bottleneck([tuple(map(float, row[1:])) for row in rows if row[0] == "sample"], int(rows[-1][1]))


FULL = 1000 / 1054
"""Goodput by rate of a line that is always busy."""
ROUND_TRIPS = [(0, 10), (0, 30), (0, 50), (0, 70), (0, 140)]
"""Five flows, with round trips of 40 to 300 ms; 144 ms on average."""


def test_xcp_fills_the_line_with_equal_shares_and_hardly_a_queue():
    """Whatever the round trips. 350 kB are under way; 10 % of the traffic is shuffled in a control interval, so that after some 40 of them,
    of 144 ms, shares are equal."""
    found = dumbbell("Xcp", 20, 10, 1000, ROUND_TRIPS, 12, extra=["arqlink::XcpRouter::Gamma 0.1"])
    rates = found.rates(6, 12)
    assert sum(rates) > 0.99 * FULL * 20e6
    assert all(rate == pytest.approx(FULL * 20e6 / 5, rel=0.03) for rate in rates)
    assert found.most(6) < 25e3 and found.least(6) < 4e3 and found.dropped == 0


def test_newreno_does_not():
    found = dumbbell("NewReno", 20, 10, 200, ROUND_TRIPS, 12)
    rates = found.rates(6, 12)
    assert max(rates) > 3 * min(rates) and found.most(6) > 100e3 and found.dropped > 0


def test_xcp_without_shuffling_stays_unfair_and_without_beta_keeps_a_queue():
    """The two parts of the controllers do what they are for."""
    unfair = dumbbell("Xcp", 20, 10, 1000, ROUND_TRIPS, 12, extra=["arqlink::XcpRouter::Gamma 0"])
    rates = unfair.rates(6, 12)
    assert sum(rates) > 0.98 * FULL * 20e6 and max(rates) > 2.5 * min(rates)
    assert dumbbell("Xcp", 20, 10, 1000, ROUND_TRIPS, 12, extra=["arqlink::XcpRouter::Beta 0"]).least(8) > 30e3


def test_xcp_makes_room_for_a_new_flow():
    """Two flows of 80 ms share the line; another one of 200 ms has its third of it four seconds after its start, and nothing is dropped."""
    found = dumbbell("Xcp", 20, 10, 1000, [(0, 30), (0, 30), (6, 90)], 14)
    assert all(rate == pytest.approx(FULL * 10e6, rel=0.04) for rate in found.rates(3, 6)[:2])
    assert all(rate == pytest.approx(FULL * 20e6 / 3, rel=0.04) for rate in found.rates(10, 14))
    assert sum(found.rates(8, 14)) > 0.99 * FULL * 20e6
    assert found.most(0) < 170e3 and found.dropped == 0


def test_xcp_keeps_its_queue_short_when_packets_are_lost():
    """Feedback that comes in fast recovery counts at once: kept for its end, it would be given again in each round trip."""
    lossy = dumbbell("Xcp", 10, 50, 200, [(0, 20)], 60, loss=0.005, every=10)
    assert lossy.rates(10, 60)[0] > 5e6 and lossy.most(10) < 80e3 and lossy.dropped == 0


def test_losses_at_random_cost_the_variants_less():
    """One of 200 packets, 140 ms: NewReno and Vegas take it for congestion. Westwood's claim is a multiple of Reno's goodput."""
    newreno, vegas, westwood, dvegas = (
        dumbbell(variant, 10, 50, 200, [(0, 20)], 60, loss=0.005, every=10).rates(10, 60)[0] for variant in ("NewReno", "Vegas", "Westwood2001", "DVegas")
    )
    assert westwood > 5 * newreno and westwood > 0.85 * FULL * 10e6
    assert dvegas > 2 * vegas


def test_dvegas_makes_way_before_packets_are_dropped():
    """Twenty flows with two to four packets each in a queue of 30."""
    flows = [(0.1 * i, 20) for i in range(20)]
    vegas, dvegas = (dumbbell(variant, 10, 50, 30, flows, 40, every=10) for variant in ("Vegas", "DVegas"))
    assert vegas.dropped > 300 and dvegas.dropped < 10
    assert sum(dvegas.rates(10, 40)) > 0.98 * FULL * 10e6


# Over the link --------------------------------------------------------------------------------------------------------


def over_link(variant, **settings):
    """`arqlink tcp` for one seed."""
    point = from_settings({"connections": 4, "seconds": 60.0, "warm_up": 20.0, "window": 600, "variant": variant} | settings)
    return point, measurement.simulate(point, seeds.seed_of(1))


def test_xcp_over_the_link_fills_it_without_its_queue():
    """N = 12, FEC alone: 10/12 of the rate less what is lost, shared alike; NewReno has at times hundreds of packets before the link."""
    point, result = over_link("Xcp", n=12, delta="0", loss=0.01)
    assert point.capacity == pytest.approx(2e6 * 10 / 12)
    assert sum(result.goodputs) > 0.92 * point.capacity
    assert max(result.goodputs) < 1.5 * min(result.goodputs)
    # T + 2 D, packets, and some packets of 6 ms each that wait.
    assert 0.48 < result.values["round_trip"] < 0.6 and result.values["dropped"] == 0


def test_the_capacity_counts_retransmissions():
    """ARQ alone: each transmission of ten units is received with 0.99^10."""
    point = from_settings({"variant": "Xcp", "n": 10, "delta": "inf", "loss": 0.01})
    assert point.capacity == pytest.approx(2e6 * 0.99**10)
    assert point.job(1)["capacity"] == point.capacity and "capacity" not in Point(point.setup).job(1)


@pytest.mark.parametrize("settings", [{"topology": "split", "copies": True, "connections": 1}, {"gateway": "snoop"}, {"topology": "onboard"}])
def test_xcp_needs_a_router_on_its_way(settings):
    with pytest.raises(UserError, match="Xcp needs a router before the link"):
        from_settings({"variant": "Xcp"} | settings)


@pytest.mark.parametrize("settings", [{}, {"gateway": "snoop,queue=50"}])
def test_dvegas_knows_the_queue_before_the_link(settings):
    """Forty connections, and room for fifty packets, in the buffer or the gateway: Vegas's share of the queue would be more than that."""
    few = {"buffer": 50, "connections": 40, "loss": 0.0, "n": 10, "window": 60, "seconds": 20.0} | settings
    vegas, dvegas = (over_link(variant, **few)[1] for variant in ("Vegas", "DVegas"))
    dropped = [result.gateways[0]["queue_full"] if settings else result.values["dropped"] for result in (vegas, dvegas)]
    assert dropped[0] > 100 and dropped[0] > 3 * dropped[1]
    assert dvegas.values["round_trip"] < 0.9 * vegas.values["round_trip"]


@pytest.mark.parametrize("variant", ["Westwood2001", "DVegas", "classic"])
def test_variants_over_the_link(variant):
    _, result = over_link(variant, n=12, delta="0", loss=0.01)
    # Segments that waited for one before them count when it comes.
    assert 0.5e6 < sum(result.goodputs) < 2e6 * 10 / 12 * 1.06
