# SPDX-License-Identifier: Apache-2.0
"""TCPs of sim/tcp/variants: their rules by scripts of ACKs, and what their papers claim by simulation."""

import random
import subprocess
from dataclasses import dataclass, field

import pytest

from arqlink.tcp import builds

SEGMENT = 1000
"""Bytes."""


@dataclass
class State:
    """Window and threshold in segments, estimated bandwidth in segments a second."""

    window: float
    threshold: float
    bandwidth: float


def play(variant, window, threshold, script):
    """The states that a script of `variant_script` asks for, by time."""
    text = f"{variant} {window} {threshold} {SEGMENT}\n" + script
    done = subprocess.run([builds.program("variant_script")], input=text, capture_output=True, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    return {float(time): State(*(float(value) / SEGMENT for value in values)) for _, time, *values in lines}


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
    rng = random.Random(7)
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
