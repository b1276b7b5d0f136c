# SPDX-License-Identifier: Apache-2.0
"""Outcomes that no report has brought: what they hold up, and what brings them. Each rule of `Rules` has a scenario that fails without it."""

import random

import pytest

from cocotb_tests.model.config import Config, Rules
from cocotb_tests.model.darkness import Darkness
from cocotb_tests.model.link import LinkEnd
from cocotb_tests.model.pair import Direction, Pair
from cocotb_tests.model.reports import repeat_lags
from cocotb_tests.model.sender import Setting
from cocotb_tests.model.units import ControlUnit

DELAY = 600
LIMIT = 300_000


def hole(rules, window_log2, hidden, count=400, fails=(), poll_timeout=LIMIT):
    """Frames of one unit; B's reports whose rxNext is in `hidden` are lost, and so are the transmissions in `fails`. Returns the ends at
    rest, and the clock."""
    c = Config(window_log2=window_log2, setting=Setting(1, 1, 1), status_interval=5000, keepalive=1 << 30, poll_timeout=poll_timeout, rules=rules)
    a, b = LinkEnd(c, name="A"), LinkEnd(c, name="B")
    pair = Pair(a, b, Direction(DELAY), Direction(DELAY))
    pair.run(2500)
    take_a, take_b = a.take, b.take
    a.take = lambda unit, now: None if isinstance(unit, ControlUnit) and unit.rx_next in hidden else take_a(unit, now)
    b.take = lambda unit, now: None if not isinstance(unit, ControlUnit) and unit.tsn in fails else take_b(unit, now)
    a.backlog.extend(bytes([i % 256]) for i in range(count))
    pair.settle(LIMIT)
    assert len(b.delivered) == count
    return a, b, pair.now


BLOCKS_0_AND_1 = range(1, 96)
"""What rxNext is while reports show them."""


def test_a_repeat_brings_what_all_reports_of_a_block_had():
    a, b, _ = hole(Rules(), 8, BLOCKS_0_AND_1)
    assert a.counters["tx_polls"] == 1 and b.reporter.shown > 0
    a, b, _ = hole(Rules(repeats=False), 8, BLOCKS_0_AND_1)
    assert a.counters["tx_polls"] > 1


def test_lags():
    """Blocks from a pair to its repeat: an eighth of the smaller window, a second one 64 blocks later where the window holds that, and in the
    longest windows one between them."""
    lags = {32: [], 128: [], 255: [], 256: [1], 512: [2], 1024: [4], 4096: [16], 8192: [32, 96], 16384: [32, 96], 32768: [32, 64, 96], 1 << 18: [32, 64, 96]}
    assert {window: repeat_lags(window) for window in lags} == lags
    assert all(32 * (lag + 4) <= window for window in lags for lag in repeat_lags(window)), "a repeat of what is not kept any more"


def test_a_hole_holds_up_no_outcome_after_it():
    """A frame behind the hole fails; it is sent again before a poll has filled the hole."""
    _, _, taken = hole(Rules(repeats=False), 8, BLOCKS_0_AND_1, fails=[100])
    _, _, waits = hole(Rules(repeats=False, any_order=False), 8, BLOCKS_0_AND_1, fails=[100])
    assert taken + DELAY < waits


@pytest.mark.parametrize("window_log2", [6, 7])
def test_outcomes_that_no_repeat_brings_are_polled_for_at_once(window_log2):
    a, _, at_once = hole(Rules(), window_log2, range(1, 64))
    assert a.counters["tx_polls"] == 2
    with pytest.raises(TimeoutError):
        hole(Rules(missed_polls=False), window_log2, range(1, 64))


def bursts_of_feedback_loss(rules, seed):
    rng = random.Random(seed)  # fixed seed: few come to the limit
    delay = rng.choice([300, 1000, 2000])
    c = Config(
        window_log2=rng.choice([5, 6]), setting=Setting(1, 1, 1), status_interval=rng.choice([0, 1 << 30]), poll_timeout=2 * delay + 500,
        keepalive=1 << 30, rules=rules,
    )  # fmt: skip
    a, b = LinkEnd(c, name="A"), LinkEnd(c, name="B")
    data_loss, loss = rng.choice([0.3, 0.6]), rng.choice([0, 0.3])
    gap, distance = rng.choice([(500, 1000), (1000, 3000), (3000, 5000)])
    pair = Pair(a, b, Direction(delay, data_loss), Direction(delay, Darkness(rng, loss, gap, distance, 400_000)), random.Random(seed))  # fixed seed: as above
    a.backlog.extend(bytes([i % 256]) for i in range(300))
    pair.settle(10 * LIMIT)
    assert not a.resyncs + b.resyncs


@pytest.mark.parametrize("seed", [4, 16, 17])
def test_no_more_transmissions_than_outcomes_are_kept_for(seed):
    """Without the limit retransmissions go on while the oldest outcome is missing, until nobody has it any more."""
    bursts_of_feedback_loss(Rules(), seed)
    with pytest.raises(TimeoutError):
        bursts_of_feedback_loss(Rules(tsn_limit=False), seed)
