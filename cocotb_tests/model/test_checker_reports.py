# SPDX-License-Identifier: Apache-2.0
"""The trace checkers must find faults in reports, answers, notices and in what is done with outcomes: each test breaks one end."""

from dataclasses import replace
from typing import Any

import pytest

from cocotb_tests.model import reporter
from cocotb_tests.model.config import Config, Rules
from cocotb_tests.model.pair import Direction
from cocotb_tests.model.reports import BLOCK, JUDGED, OTHERS, REMEMBERED, WAITING, Reports
from cocotb_tests.model.scenario import checked_pair, finish, is_control
from cocotb_tests.model.sender import Setting
from cocotb_tests.model.units import ControlUnit
from tests import seeds

COUNT = 700


def run(breaks, window_log2=8, delta=3, dark=(4000, 5500), clock=False, rules=Rules(), delay=1000, loss=(0.2, 0.05), back=20, n=1, name: object = "packets"):
    """A sends frames of one data unit; feedback is dark for a while, so that older outcomes are asked for and shown again."""
    c = Config(window_log2=window_log2, setting=Setting(1, n, n, 0, delta), rules=rules, poll_timeout=3000, keepalive=1 << 30)
    ways = Direction(delay, loss[0]), Direction(delay, lambda now: 1 if dark[0] <= now < dark[1] else loss[1])
    pair, checkers = checked_pair(c, c, *ways, seed=name)
    for check in checkers.values():
        check.clock = (lambda: pair.now) if clock else check.clock
    breaks(pair, checkers)
    pair.run(3000)
    rng = seeds.rng(name)
    pair.ends[0].backlog.extend(rng.randbytes(rng.randint(1, 4)) for _ in range(COUNT))
    pair.ends[1].backlog.extend(rng.randbytes(rng.randint(1, 4)) for _ in range(back))
    pair.settle(300_000)
    finish(pair, checkers)
    return pair


@pytest.mark.parametrize("window_log2", [6, 8])
@pytest.mark.parametrize("clock", [False, True])
def test_unbroken_passes(window_log2, clock):
    pair = run(lambda pair, checkers: None, window_log2, clock=clock)
    assert pair.ends[1].reporter.shown > 0 and pair.ends[0].counters["tx_polls"] > 1


def change(what, when=lambda unit: True, end=1):
    """Breaks the control units of an end for which `when` holds."""

    def breaks(pair, checkers):
        inner = pair.ends[end].next_unit

        def next_unit(now):
            unit = inner(now)
            return what(unit) if unit is not None and is_control(unit) and when(unit) else unit

        pair.ends[end].next_unit = next_unit

    return breaks


def is_older(unit):
    return unit.bitmap_base < (unit.rx_next // 32 - 1) * 32


def takes_outcomes_twice(pair, checkers):
    """A outcome that is shown again is acted on again."""
    tx = pair.ends[0].tx
    inner = tx._outcome

    def outcome(tsn, ok):
        fsn = tx.fsn_of[tsn]
        inner(tsn, ok)
        if not ok and tsn == tx.ack:
            tx.queue.append(fsn)

    tx._outcome = outcome


FAULTS = {
    "outcome of an older block": (change(lambda u: replace(u, bitmap=u.bitmap ^ 1 << 40), is_older), "wrong outcome"),
    "older block that has no turn": (
        change(lambda u: replace(u, bitmap_base=u.bitmap_base - 64, bitmap=0), lambda u: 128 <= u.rx_next < 190), "out of turn|no pair|not in the ring|wrong",
    ),
    "bitmapBase ahead": (change(lambda u: replace(u, bitmap_base=u.bitmap_base + 32, bitmap=u.bitmap >> 32)), "is ahead"),
    "older block with poll": (change(lambda u: replace(u, poll=True), is_older), "has poll or reply"),
    "older block with reply": (change(lambda u: replace(u, reply=True), is_older), "has poll or reply"),
    "reply without a poll": (change(lambda u: replace(u, reply=True), lambda u: not is_older(u)), "no poll had come"),
    "reply too early": (
        change(lambda u: replace(u, rx_next=u.rx_next - 1), lambda u: u.reply and u.rx_next % 32), "poll's txEdge had closed|rxNext",
    ),
    "abandons without a cause": (change(lambda u: replace(u, abandons=True), end=0), "abandons, and the peer"),
    "no abandons": (change(lambda u: replace(u, abandons=False), end=0), "without abandons"),
    "outcome taken twice": (takes_outcomes_twice, "nothing is to be|the first to be"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("clock", [False, True])
def test_fault_is_found(name, clock):
    breaks, complaint = FAULTS[name]
    with pytest.raises(AssertionError, match=complaint):
        run(breaks, delta=1, clock=clock)


@pytest.mark.parametrize("age", [1, 39, 40, 100])
def test_a_poll_has_a_second_reply_only_if_it_came_shortly_before_the_first(age):
    poll = ControlUnit(epoch=1, poll=True)
    answer = ControlUnit(epoch=1, reply=True)
    reports = Reports(64)
    reports.heard(poll, 0, now=1000 - age)
    reports.sent(answer, 0, -BLOCK, 0, now=1000)
    if age < JUDGED:
        reports.sent(answer, 0, -BLOCK, 0, now=1012)
    with pytest.raises(AssertionError, match="no poll had come"):
        reports.sent(answer, 0, -BLOCK, 0, now=1024)


def test_poll_that_is_not_answered():
    with pytest.raises(AssertionError, match=". polls were not answered"):
        run(change(lambda u: replace(u, reply=False)), dark=(0, 0), delay=100, loss=(0, 0))


def test_older_blocks_too_close_together(monkeypatch):
    run(lambda pair, checkers: None, 9, dark=(4000, 9000), clock=True)
    monkeypatch.setattr(reporter, "PACE", 60)
    with pytest.raises(AssertionError, match="clocks between control units with older blocks"):
        run(lambda pair, checkers: None, 9, dark=(4000, 9000), clock=True)


def test_more_transmissions_than_outcomes_are_kept_for():
    scenario: dict[str, Any] = dict(window_log2=6, dark=(3000, 6500), delta=15, loss=(0.5, 0.3), delay=300)
    found = ""
    for name in range(40):  # half of them come so far
        run(lambda pair, checkers: None, name=name, **scenario)
        try:
            run(lambda pair, checkers: None, name=name, rules=Rules(tsn_limit=False), **scenario)
        except AssertionError as wrong:
            found = str(wrong)
            break
    assert "outcomes are kept below" in found


def ring(change):
    """Breaks the ring of an end: `change` makes of the method `_take_turns` of its Reporter another one."""

    def breaks(pair, checkers):
        reporter = pair.ends[1].reporter
        inner = reporter._take_turns
        reporter._take_turns = lambda count: change(reporter, count, inner)

    return breaks


def skips_a_place(reporter, count, take_turns):
    reporter.place += reporter.shown % 5 == 4 and count > 0
    take_turns(count)


def stops_a_round(reporter, count, take_turns):
    take_turns(0 if count and reporter.turns else count)


def takes_what_leaves_the_ring(reporter, count, take_turns):
    take_turns(count)
    reporter.pair = reporter.pair and max(0, reporter.pair - reporter.places)


def forgets_the_peer(reporter, count, take_turns):
    reporter.peer_ack = 0
    take_turns(count)


RINGS = {
    "a place is left out": (ring(skips_a_place), "out of turn"),
    "half a round": (ring(stops_a_round), "not shown after a reply"),
    "too old": (ring(takes_what_leaves_the_ring), "not in the ring|out of turn"),
    "what the peer knows": (ring(forgets_the_peer), "and the peer's ackTsn is"),
}


@pytest.mark.parametrize("name", RINGS)
def test_broken_ring_is_found(name):
    breaks, complaint = RINGS[name]
    with pytest.raises(AssertionError, match=complaint):
        run(breaks, clock=True, dark=(4000, 9000))


@pytest.mark.parametrize("rules, n, complaint", [(Rules(ring=False), 4, "not shown again"), (Rules(rounds=False), 1, "not shown after a reply")])
def test_ring_that_stands_still_is_found(rules, n, complaint):
    with pytest.raises(AssertionError, match=complaint):
        run(lambda pair, checkers: None, clock=True, dark=(4000, 9000), rules=rules, n=n)


class Shown:
    """What an end of 256 frames, or of another window, shows, control unit by control unit, and 200 clocks apart. Its peer has as many, too."""

    def __init__(self, ack=0, places=4):
        self.reports, self.now, self.rx_next, self.places = Reports(64 * places), 0, 0, places
        rx_next = 128 * places - 1
        self.reports.heard(ControlUnit(epoch=1, param=ack), rx_next, 0)
        for _ in range(REMEMBERED + 1):
            self.recent(rx_next)

    def recent(self, rx_next, **fields):
        self.rx_next = rx_next
        self._sent(rx_next // BLOCK - 1, ControlUnit(epoch=1, **fields))

    def older(self, *blocks):
        for block in blocks:
            self._sent(block, ControlUnit(epoch=1))

    def _sent(self, block, unit):
        self.now += 200
        self.reports.sent(unit, self.rx_next, BLOCK * block, self.places, self.now)

    def poll(self, ack=0):
        self.reports.heard(ControlUnit(epoch=1, poll=True, param=ack), self.rx_next, self.now)
        self.recent(self.rx_next, reply=True)


def test_a_turn_for_each_step_of_rx_next():
    shown = Shown()
    for i in range(8):
        shown.recent(512 + 8 * i)
        shown.older(8 + 2 * (i % 4))
    with pytest.raises(AssertionError, match="out of turn"):
        shown.older(8)


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 9])
def test_turns_that_wait(steps):
    """Of steps that follow each other soon; no more of them than may wait."""
    shown = Shown()
    shown.recent(504 + 8 * steps)
    turns = [8 + 2 * (i % 4) for i in range(min(steps, WAITING + 1))]
    shown.older(*turns)
    with pytest.raises(AssertionError, match="out of turn"):
        shown.older(8 + 2 * (len(turns) % 4))


@pytest.mark.parametrize("places", [32, 64])
def test_early_turns_are_those_of_a_large_ring(places):
    """The pairs 16 and 32 below the newest one, between others."""
    shown = Shown(places=places)
    newest = 2 * places - 1
    shown.recent(64 * (newest + 1))
    shown.older(2 * newest - 10)
    shown.recent(64 * (newest + 1) + 8)
    if places > 32:
        shown.older(2 * (newest - 16))
        shown.recent(64 * (newest + 1) + 32)
        shown.older(2 * (newest - 32))
        shown.recent(64 * (newest + 1) + 40)
        shown.older(2 * newest - 8)
        shown.recent(64 * (newest + 1) + 48)
    with pytest.raises(AssertionError, match="out of turn"):
        shown.older(2 * (newest - 16 - (places > 32)))


@pytest.mark.parametrize("block", [9, 10, 12, 6, 16])
def test_any_other_pair_is_none_that_has_its_turn(block):
    shown = Shown()
    shown.recent(512)
    shown.older(14)
    shown.recent(520)
    with pytest.raises(AssertionError):
        shown.older(block)


def test_a_round_ends():
    shown = Shown(64 * 5)
    shown.recent(512)
    shown.poll(64 * 5)
    shown.older(10, 12, 14)
    shown.poll(64 * 5)
    shown.older(10)
    shown.poll(64 * 5)
    shown.older(12, 10, 12, 14)
    with pytest.raises(AssertionError, match="out of turn"):
        shown.older(*[10, 12, 14] * 2)


def test_a_round_of_what_the_peer_knows_is_over_soon():
    """All was passed over, so it gives no turn later on."""
    shown = Shown(512)
    shown.recent(512)
    shown.poll(512)
    for _ in range(2 * OTHERS + 2):
        shown.recent(512)
    shown.reports.heard(ControlUnit(epoch=1, param=0), 512, shown.now)
    with pytest.raises(AssertionError, match="out of turn"):
        shown.older(12)


@pytest.mark.parametrize("polls", [1, 3])
def test_other_control_units_do_not_take_the_turns_of_a_round(polls):
    shown = Shown()
    shown.recent(512)
    for _ in range(polls):
        shown.poll()
    shown.older(8, 10)
    with pytest.raises(AssertionError, match="6, 7. are not shown after a reply"):
        for _ in range(OTHERS + 2):
            shown.recent(512)


def test_link_without_loss_asks_for_nothing():
    """One poll as it comes up, and no other; no notices; each answer has its poll. A pair is known before its place has a second turn."""
    pair = run(lambda pair, checkers: None, dark=(0, 0), delay=100, loss=(0, 0), back=COUNT)
    for end in pair.ends:
        assert end.counters["tx_polls"] == 1 and end.reporter.shown <= COUNT // 64 and not end.tx.unconfirmed
