# SPDX-License-Identifier: Apache-2.0
"""Outcomes that no report has brought: what they hold up, and what brings them. Each rule of `Rules` has a scenario that fails without it."""

import random
from types import SimpleNamespace

import pytest

from cocotb_tests.model.config import Config, Rules
from cocotb_tests.model.darkness import Darkness
from cocotb_tests.model.link import LinkEnd
from cocotb_tests.model.pair import Direction, Pair
from cocotb_tests.model.reporter import PACE, STEP, Reporter
from cocotb_tests.model.reports import places_of
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


def test_a_turn_brings_what_all_reports_of_a_block_had():
    a, b, _ = hole(Rules(), 8, BLOCKS_0_AND_1, poll_timeout=4000)
    assert a.counters["tx_polls"] == 1 and b.reporter.shown > 0
    a, b, _ = hole(Rules(ring=False), 8, BLOCKS_0_AND_1, poll_timeout=4000)
    assert a.counters["tx_polls"] > 1


def test_a_round_brings_what_no_turn_will():
    """rxNext has come to its end before a report arrives."""
    a, _, _ = hole(Rules(), 8, range(1, 256), 256, poll_timeout=3 * DELAY)
    assert a.counters["tx_polls"] == 2
    with pytest.raises(TimeoutError):
        hole(Rules(rounds=False), 8, range(1, 256), 256, poll_timeout=3 * DELAY)


def test_places():
    """A window has one for each two blocks; an end that keeps one block has no older ones."""
    places = {(32, 32): 0, (32, 4096): 0, (64, 32): 1, (64, 64): 1, (128, 64): 1, (128, 128): 2, (256, 1 << 18): 4, (1 << 18, 1 << 18): 4096}
    assert {windows: places_of(*windows) for windows in places} == places


class Ring(Reporter):
    """The ring of a window of 256 frames, or another one, alone: what it shows as rxNext moves."""

    def __init__(self, rx_next, ack, places=4):
        super().__init__(SimpleNamespace(rx_next=rx_next), Rules())
        self.begin(places)
        self.steps = rx_next // STEP
        self.on_ack(ack)
        self.now = 0

    def taken(self):
        """Pairs that are shown now, one after the other."""
        pairs = []
        while self.pair is not None:
            self.now = max(self.now, self.last + PACE)
            assert self.ready(self.now)
            pairs.append(self.take(self.now) // 2)
        return pairs

    def at(self, rx_next):
        """Pairs that are shown as rxNext goes there."""
        self.receiver.rx_next = rx_next
        self.moved()
        return self.taken()

    def reply(self):
        self.replied()
        return self.taken()


def test_pairs_take_turns():
    """Pairs 4 to 7 are in the ring while rxNext is in blocks 16 and 17; then pair 8 takes the place of pair 4."""
    ring = Ring(511, 0)
    (first,) = ring.at(512)
    shown = [ring.at(512 + i) for i in range(1, 65)]
    order = [pair for pairs in shown for pair in pairs]
    assert order == [4 + (first + 1 + i) % 4 if i < 7 or (first + 1 + i) % 4 else 8 for i in range(8)]
    assert [i for i, pairs in enumerate(shown, 1) if pairs] == list(range(8, 65, 8)), "a turn for eight outcomes"


@pytest.mark.parametrize("places", [32, 64])
def test_a_large_ring_has_early_turns(places):
    """In a ring of 64 places, as rxNext comes to block 200, which is even, the pair 16 below the newest one, which is 99, and then at block 201 the one 32
    below it. The others go on in sequence."""
    ring = Ring(64 * 100 - 8, 0, places)
    turns = [pair for i in range(8) for pair in ring.at(64 * 100 + 8 * i)]
    early = [turns.pop(4), turns.pop(0)] if places > 32 else [67, 83]
    assert early == [67, 83]
    assert [(pair - turns[0]) % places for pair in turns] == list(range(len(turns)))


def test_an_early_turn_takes_none_of_a_round():
    ring = Ring(64 * 100 - 8, 64 * 60, 64)
    ring.replied()
    ring.receiver.rx_next = 64 * 100
    ring.moved()
    assert [pair for pair in ring.taken() if pair != 83] == [pair for pair in range(60, 100) if pair != 83]
    assert ring.at(64 * 100 + 8) == [60]


def test_what_the_peer_knows_is_passed_over():
    ring = Ring(511, 64 * 6 - 1)
    shown = [pair for i in range(8) for pair in ring.at(512 + 8 * i)]
    assert sorted(shown) == [5, 5, 6, 6, 7, 7], "pair 4 is known, pair 5 not in full"


@pytest.mark.parametrize("ack, pairs", [(0, [4, 5, 6, 7]), (64 * 5, [5, 6, 7]), (64 * 6 - 1, [5, 6, 7]), (32 * 15 - 1, [7]), (32 * 15, []), (64 * 8, [])])
def test_a_round_begins_with_the_oldest_pair_that_the_peer_lacks(ack, pairs):
    ring = Ring(512, ack)
    assert ring.reply() == pairs
    assert ring.at(512 + 4) == [], "rxNext has not moved by a step"


def test_a_new_reply_begins_the_round_again():
    ring = Ring(512, 64 * 4)
    ring.replied()
    assert [ring.take(ring.now) // 2 for _ in range(2)] == [4, 5]
    assert ring.reply() == [6, 4, 5, 6, 7], "pair 6 has had its turn"


def test_one_turn_waits_behind_another_one_and_no_more():
    ring = Ring(511, 0)
    for rx_next in range(512, 560):
        ring.receiver.rx_next = rx_next
        ring.moved()
    assert len(ring.taken()) == 2


def test_a_hole_holds_up_no_outcome_after_it():
    """A frame behind the hole fails; it is sent again before a poll has filled the hole."""
    _, _, taken = hole(Rules(ring=False), 8, BLOCKS_0_AND_1, fails=[100], poll_timeout=4000)
    _, _, waits = hole(Rules(ring=False, any_order=False), 8, BLOCKS_0_AND_1, fails=[100], poll_timeout=4000)
    assert taken + DELAY < waits


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


@pytest.mark.parametrize("seed", [4, 16, 262])
def test_no_more_transmissions_than_outcomes_are_kept_for(seed):
    """Without the limit retransmissions go on while the oldest outcome is missing, until nobody has it any more: it is asked for without end, or what means
    nothing is believed."""
    bursts_of_feedback_loss(Rules(), seed)
    with pytest.raises((AssertionError, TimeoutError)):
        bursts_of_feedback_loss(Rules(tsn_limit=False), seed)
