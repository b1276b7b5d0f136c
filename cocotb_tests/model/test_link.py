# SPDX-License-Identifier: Apache-2.0
"""The protocol itself: liveness, order and accounting of two model ends, with a trace checker at each."""

from dataclasses import replace

import pytest

from cocotb_tests.model.config import Config
from cocotb_tests.model.link import OUTAGE, UP
from cocotb_tests.model.pair import Direction
from cocotb_tests.model.scenario import checked_pair, finish
from cocotb_tests.model.sender import INFINITE, Setting
from tests import seeds

LIMIT = 3_000_000


def packets(seed, count, longest=200):
    rng = seeds.rng(seed)
    return [rng.randbytes(rng.randint(1, longest)) for _ in range(count)]


def start(pair, forward, backward=()):
    pair.ends[0].backlog.extend(forward)
    pair.ends[1].backlog.extend(backward)


def account(pair, checkers):
    """Counters of both ends at rest: the ends' own, the checkers', and the sums of the architecture."""
    finish(pair, checkers)
    for end, other in (pair.ends, pair.ends[::-1]):
        tx, rx = end.tx.counters, checkers[other.name].receiver.counters
        expected = checkers[end.name].expected()
        for name, value in tx.items():
            assert expected.get(name, 0) == value or name == "tx_frames_flushed"
        assert tx["tx_frames"] == tx["tx_frames_acked"] + tx["tx_frames_abandoned"]
        assert tx["tx_outcomes_ok"] + tx["tx_outcomes_failed"] == tx["tx_frames"] + tx["tx_retx"]
        assert rx["rx_frames_clean"] + rx["rx_frames_repaired"] == tx["tx_frames_acked"]
        assert rx["rx_frames_skipped"] == tx["tx_frames_abandoned"]
        assert (rx["rx_outcomes_ok"], rx["rx_outcomes_failed"]) == (tx["tx_outcomes_ok"], tx["tx_outcomes_failed"])
        assert sum(tx[f"tx_acked_{i}"] for i in range(16)) == tx["tx_frames_acked"]
        assert rx["rx_duplicates"] == rx["rx_units_late"] == rx["rx_units_invalid"] == 0
        lost = checkers[end.name].sender.counters["tx_packets_lost"]
        assert len(other.delivered) + lost == len(end.accepted)
        low, high = checkers[other.name].receiver.dropped_range
        assert low <= lost and low <= high


def is_subsequence(part, whole):
    rest = iter(whole)
    return all(item in rest for item in part)


@pytest.mark.parametrize("seed", range(10))
def test_infinite_persistency_loses_nothing(seed):
    rng = seeds.rng(seed)
    s = Setting(4, rng.randint(4, 6), rng.randint(4, 7), rng.randrange(3))
    c = Config(setting=s, in_order=seed % 3 != 0, status_interval=rng.choice([0, 0, 50]))
    ways = [Direction(rng.choice([1, 100, 1500]), rng.choice([0.01, 0.2, 0.4, 0.49])) for _ in range(2)]
    pair, checkers = checked_pair(c, c, *ways, seed=seed)
    there, back = packets(seed, 60), packets(seed + 1, 20)
    start(pair, there, back)
    pair.settle(LIMIT)
    got = [p for _, p in pair.ends[1].delivered], [p for _, p in pair.ends[0].delivered]
    if c.in_order:
        assert got == (there, back)
    else:
        assert (sorted(got[0]), sorted(got[1])) == (sorted(there), sorted(back))
    account(pair, checkers)


@pytest.mark.parametrize("delta", [0, 1, 3, 14])
@pytest.mark.parametrize("in_order", [True, False])
def test_finite_persistency_holds_up_nothing(delta, in_order):
    seed = delta * 2 + in_order
    c = Config(setting=Setting(4, 5, 5, 0, delta), in_order=in_order)
    loss = 0.45 if delta == 14 else 0.3
    pair, checkers = checked_pair(c, c, Direction(300, loss), Direction(300, 0.3), seed=seed)
    there = packets(seed, 80)
    start(pair, there, packets(seed + 1, 20))
    # a frame is resolved by delta + 1 transmissions, each at worst found out by polls that are lost 12 times in a row
    limit = (delta + 1) * 12 * (c.poll_timeout + 1000) + 100_000
    pair.settle(limit)
    got = [p for _, p in pair.ends[1].delivered]
    assert set(got) <= set(there) and (not in_order or is_subsequence(got, there))
    assert len(got) < len(there) or delta > 1
    account(pair, checkers)


def test_every_single_lost_unit_is_recovered():
    """The n-th unit of either direction is erased, for each n; three short packets, so each is the tail once."""
    for way in (0, 1):
        for n in range(40):
            left = [n]

            def loss(now, left=left):
                left[0] -= 1
                return left[0] == -1

            ways = [Direction(50), Direction(50)]
            ways[way].loss = loss
            c = Config(setting=Setting(4, 4, 4))
            pair, checkers = checked_pair(c, c, ways[0], ways[1])
            there = packets(n, 3, 20)
            start(pair, there)
            pair.settle(4 * c.poll_timeout)
            assert [p for _, p in pair.ends[1].delivered] == there
            account(pair, checkers)


@pytest.mark.parametrize("delta,freeze", [(0, True), (2, True), (2, False), (INFINITE, True)])
def test_outage(delta, freeze):
    dark = lambda now: 5000 <= now < 60_000  # noqa: E731
    c = Config(setting=Setting(4, 5, 5, 0, delta), keepalive=1000, outage_timeout=5000, outage_freeze=freeze, window_log2=7)
    pair, checkers = checked_pair(c, c, Direction(2000, dark), Direction(2000, dark), seed=3)
    there = packets(7, 150)
    start(pair, there)
    pair.run(50_000)
    assert [e.state for e in pair.ends] == [OUTAGE, OUTAGE]
    sent = pair.ends[0].tx.counters["tx_frames"] + pair.ends[0].tx.counters["tx_retx"]
    pair.run(59_000)
    assert sent == pair.ends[0].tx.counters["tx_frames"] + pair.ends[0].tx.counters["tx_retx"]
    pair.settle(200_000)
    assert [e.state for e in pair.ends] == [UP, UP]
    account(pair, checkers)
    tx = pair.ends[0].tx.counters
    assert (tx["tx_outcomes_outage"] > 0) == (freeze and delta > 0)
    assert (tx["tx_frames_abandoned"] > 0) == (delta == 0)
    assert all(e.counters["link_outages"] == 1 for e in pair.ends)


@pytest.mark.parametrize("log2_a,log2_b", [(6, 6), (6, 9), (9, 6)])
def test_slow_user_and_unequal_windows(log2_a, log2_b):
    c = Config(window_log2=log2_a, setting=Setting(4, 5, 6))
    d = replace(c, window_log2=log2_b, user_clocks_per_byte=4)
    pair, checkers = checked_pair(c, d, Direction(200, 0.1), Direction(200, 0.4), seed=log2_a)
    there = packets(1, 60)
    start(pair, there)
    pair.settle(LIMIT)
    assert [p for _, p in pair.ends[1].delivered] == there
    account(pair, checkers)


def test_packet_that_fills_the_window():
    c = Config(setting=Setting(1, 2, 2))
    pair, checkers = checked_pair(c, c, Direction(100, 0.2), Direction(100, 0.2), seed=5)
    there = [bytes([i]) * (c.window * c.unit_bytes) for i in range(4)]
    start(pair, there)
    pair.settle(LIMIT)
    assert [p for _, p in pair.ends[1].delivered] == there
    account(pair, checkers)


def test_outcomes_of_more_than_a_bitmap_are_missing():
    """Feedback is dark for longer than a bitmap reaches back; a poll brings the outcomes block by block."""
    dark = lambda now: 0.4 if not 3000 <= now < 30_000 else 1  # noqa: E731
    c = Config(window_log2=9, setting=Setting(1, 1, 1, 0, 3))
    pair, checkers = checked_pair(c, c, Direction(500, 0.1), Direction(500, dark), seed=2)
    start(pair, packets(3, 500, 8))
    pair.settle(LIMIT)
    account(pair, checkers)


def test_sequence_numbers_wrap():
    """More than 2^20 would take too long, so both sides begin just below it."""
    c = Config(setting=Setting(2, 2, 3))
    pair, checkers = checked_pair(c, c, Direction(100, 0.2), Direction(100, 0.2), seed=4)
    begin = (1 << 20) - 50
    for end in pair.ends:
        t, r = end.tx, end.rx
        t.stored = t.next_fsn = t.next_tsn = t.edge = t.ack = t.base = t.peer_base = begin
        end.said = {"rx_next": begin, "rx_base": begin, "edge": begin}
        begin_receiver(r, begin)
        check = checkers[end.name]
        s = check.sender
        s.next_fsn = s.next_tsn = s.ack_tsn = s.tx_base = s.newest_base = s.peer_rx_base = begin
        s.last = {"tx_base": begin, "tx_edge": begin, "ack": begin}
        check.said = {"rx_next": begin, "rx_base": begin}
        check.contradictions.begin_at(begin)
        begin_receiver(check.receiver, begin)
    there = packets(9, 60, 40)
    start(pair, there)
    pair.settle(LIMIT)
    assert [p for _, p in pair.ends[1].delivered] == there
    assert pair.ends[0].tx.next_fsn > 1 << 20


def begin_receiver(receiver, sn):
    receiver.rx_next = receiver.base_limit = receiver.abandon_edge = receiver.resolved = sn
    receiver.outcomes = [False] * sn
