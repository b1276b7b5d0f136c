# SPDX-License-Identifier: Apache-2.0
"""The trace checkers must find faults: each test breaks one end in one way and expects the checker's complaint."""

from collections import deque
from dataclasses import replace
from functools import partial

import pytest

from cocotb_tests.model.checker import EndChecker
from cocotb_tests.model.config import Config, Rules
from cocotb_tests.model.pair import Direction
from cocotb_tests.model.scenario import checked_pair, finish
from cocotb_tests.model.sender import Setting
from tests import seeds


def run(breaks, delta=3, loss=0.3, slack=0, user=0, clock=False):
    c = Config(setting=Setting(4, 5, 6, 0, delta), user_clocks_per_byte=user)
    pair, checkers = checked_pair(c, c, Direction(200, loss), Direction(200, 0.1), slack=slack)
    for check in checkers.values():
        check.clock = (lambda: pair.now) if clock else check.clock
    breaks(pair, checkers)
    rng = seeds.rng("packets")
    pair.ends[0].backlog.extend(rng.randbytes(rng.randint(1, 60)) for _ in range(60))
    pair.settle(300_000)
    finish(pair, checkers)
    return pair, checkers


def test_unbroken_passes():
    run(lambda pair, checkers: None)


def change_data(change, when=lambda unit: unit.tsn > 5):
    """Breaks A's data units on their way to the port."""

    def breaks(pair, checkers):
        tx = pair.ends[0].tx
        inner = tx.next_unit
        tx.next_unit = lambda *args: (lambda u: change(u) if u is not None and when(u) else u)(inner(*args))

    return breaks


def change_control(change, end=1):
    """Breaks the control units of an end after the first few."""

    def breaks(pair, checkers):
        which = pair.ends[end]
        inner = which._control_unit
        count = [0]

        def control():
            count[0] += 1
            unit = inner()
            return change(unit) if count[0] > 5 and not unit.hello else unit

        which._control_unit = control

    return breaks


def newest_first(pair, checkers):
    class Stack(deque):
        def popleft(self):
            return self.pop()

    pair.ends[0].tx.queue = Stack()


def new_frames_first(pair, checkers):
    tx = pair.ends[0].tx
    inner = tx.next_unit

    def next_unit(*args):
        held, tx.queue = tx.queue, deque()
        unit = inner(*args)
        if unit is None:
            tx.queue = held
            return inner(*args)
        tx.queue = held
        return unit

    tx.next_unit = next_unit


def too_persistent(pair, checkers):
    pair.ends[0].tx.config = replace(pair.ends[0].config, setting=Setting(4, 5, 6, 0, 2))


def sends_a_last_try_again(pair, checkers):
    """Outcomes are dealt with as if delta were 2."""
    tx = pair.ends[0].tx
    inner = tx._outcome

    def outcome(*args):
        usual, tx.config = tx.config, replace(tx.config, setting=Setting(4, 5, 6, 0, 2), rules=Rules(last_is_last=False))
        inner(*args)
        tx.config = usual

    tx._outcome = outcome


def another_delta(delta, rules, pair, checkers):
    """It holds from a clock on at which A has sent some frames, and the checker knows."""
    end, check = pair.ends[0], checkers["A"].sender

    def change():
        new = replace(end.config.setting, delta=delta)
        end.config = end.tx.config = replace(end.config, setting=new, rules=rules)
        check.active = [new]

    pair.at(1000, change)


def wider_window(pair, checkers):
    tx = pair.ends[0].tx
    tx.limit = lambda peer_window: min(tx.stored, tx.base + 200)
    tx.config = replace(tx.config, window_log2=8)


def deliver_twice(pair, checkers):
    end = pair.ends[1]
    inner = end.user.on_deliver
    end.user.on_deliver = lambda packet: (inner(packet), inner(packet))


def sends_to_the_deaf(pair, checkers):
    """B says that it hears nothing, and A goes on."""
    pair.ends[0]._judge_outage = lambda: None
    change_control(lambda u: replace(u, deaf=True))(pair, checkers)


def wrong_parity_count(pair, checkers):
    pair.ends[0].tx.config = replace(pair.ends[0].config, setting=Setting(4, 5, 5, 0, 3))


def forget_fill(pair, checkers):
    tx = pair.ends[0].tx
    inner = tx._begin

    def begin(fsn, epoch):
        f = tx.frames[fsn]
        if f.pad:
            last = f.units[-1][: len(f.units[-1]) - f.pad] + b"\xff" * f.pad
            tx.frames[fsn] = replace(f, units=f.units[:-1] + [last])
        inner(fsn, epoch)

    tx._begin = begin


FAULTS = {
    "payload": (change_data(lambda u: replace(u, payload=b"1234")), "wrong payload"),
    "parity payload": (change_data(lambda u: replace(u, payload=b"1234"), lambda u: u.index >= u.k), "wrong payload"),
    "attempt": (change_data(lambda u: replace(u, odd=False), lambda u: u.odd), "attempt 1: the header"),
    "attempt of a new frame": (change_data(lambda u: replace(u, odd=True)), "attempt 0: the header"),
    "fsn": (change_data(lambda u: replace(u, fsn=u.fsn + 1)), "FSN|nothing is to be"),
    "tsn": (change_data(lambda u: replace(u, tsn=u.tsn + 1)), "was next"),
    "sop": (change_data(lambda u: replace(u, sop=not u.sop)), "sop|header"),
    "eop": (change_data(lambda u: replace(u, eop=not u.eop)), "eop|header"),
    "pad": (change_data(lambda u: replace(u, pad=u.pad ^ 1)), "pad|bytes|eop|header"),
    "type": (change_data(lambda u: replace(u, last_try=True)), "type 2"),
    "type 3 of a retransmission": (change_data(lambda u: replace(u, all_below=True), lambda u: u.last_try), "is of type 3"),
    "type of a last try": (change_data(lambda u: replace(u, last_try=False), lambda u: u.last_try), "is of type 0"),
    "type of first transmissions at delta 0": (change_data(lambda u: replace(u, last_try=False, all_below=False)), "is of type 0"),
    "type 2 of first transmissions at delta 0": (change_data(lambda u: replace(u, all_below=False)), "is of type 2"),
    "type of a first transmission that is not certain": (partial(another_delta, 0, Rules(announced_if_certain=False)), "attempt 0, is of type 3"),
    "types once delta is 0": (partial(another_delta, 0, Rules(announced=False)), "is of type 0"),
    "preset": (change_data(lambda u: replace(u, preset=1)), "preset"),
    "index": (change_data(lambda u: replace(u, index=0)), "was next"),
    "epoch": (change_data(lambda u: replace(u, epoch=9)), "epoch"),
    "outage": (sends_to_the_deaf, "during an outage"),
    "filling": (forget_fill, "wrong payload"),
    "order of retransmissions": (newest_first, "the first to be retransmitted"),
    "priority": (new_frames_first, "waits for retransmission"),
    "persistency": (too_persistent, "is of type 0"),
    "last try that is sent again": (sends_a_last_try_again, "nothing is to be|the first to be"),
    "N of retransmissions": (wrong_parity_count, "N - K is"),
    "window": (wider_window, "beyond the window"),
    "delivered twice": (deliver_twice, "not complete|differs"),
    "outcome": (change_control(lambda u: replace(u, bitmap=u.bitmap ^ 1)), "wrong outcome"),
    "rxNext": (change_control(lambda u: replace(u, rx_next=u.rx_next + 1)), "rxNext"),
    "rxBase": (change_control(lambda u: replace(u, rx_base=u.rx_base + 1)), "rxBase"),
    "bitmapBase": (change_control(lambda u: replace(u, bitmap_base=u.bitmap_base + 32)), "bitmapBase"),
    "peerEpoch": (change_control(lambda u: replace(u, peer_epoch=77)), "peer's epoch"),
    "txEdge": (change_control(lambda u: replace(u, tx_edge=u.tx_edge + 1), 0), "txEdge"),
    "txBase": (change_control(lambda u: replace(u, tx_base=u.tx_base + 1), 0), "txBase"),
    "ackTsn": (change_control(lambda u: replace(u, param=u.param + 1), 0), "ackTsn"),
}


DELTAS = {"persistency": 1, "last try that is sent again": 1, "type of a last try": 1, "type 3 of a retransmission": 1} | {
    f"type{which} of first transmissions at delta 0": 0 for which in ("", " 2")
}
"""Where it is not 3."""


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_found(name):
    breaks, complaint = FAULTS[name]
    with pytest.raises(AssertionError, match=complaint):
        run(breaks, DELTAS.get(name, 3), user=100 if name == "window" else 0)


@pytest.mark.parametrize("name", ["order of retransmissions", "priority"])
def test_fault_is_found_where_control_units_may_be_dropped(name):
    """The order of retransmissions is judged where it is known."""
    breaks, complaint = FAULTS[name]
    run(lambda pair, checkers: None, clock=True)
    with pytest.raises(AssertionError, match=complaint):
        run(breaks, clock=True)


@pytest.mark.parametrize("name", ["tx_frames", "tx_retx_units", "rx_frames_repaired", "tx_acked_1", "rx_erased_flag", "rx_bytes"])
def test_wrong_counter_is_found(name):
    _, checkers = run(lambda pair, checks: None)
    for check in checkers.values():
        counters = check.expected()
        counters["rx_packets_dropped"] = check.receiver.dropped_range[0]
        for other in ("rx_control_units", "rx_control_invalid", "rx_units_epoch"):
            counters[other] = check.counters[other]
        check.finish(counters)
        counters[name] += 1
        with pytest.raises(AssertionError, match=name):
            check.finish(counters)


def restarted(packets, left=0, in_order=True, beat=4):
    """A checker whose end has restarted with these packets complete and a beat of one on the port, `left` bytes of which had left before."""
    check = EndChecker(64, 8, [Setting(4, 5, 6, 0, 3)], in_order, port=lambda: left, data_bytes=beat)
    check.receiver.ready = list(enumerate(packets))
    check.restart(2)
    return check


A, B, C = b"A" * 4, b"B" * 4, b"C" * 4


@pytest.mark.parametrize("in_order", [True, False])
def test_what_is_on_the_port_at_a_restart_may_leave(in_order):
    for packets, left in (([A, B], 0), ([A + B], 0), ([A + B + C], 4), ([A + b"B", b"CC"], 4), ([A[:1]], 0)):
        check = restarted([*packets, b"last"], left, in_order)
        for packet in packets:
            check.packet(packet)
        assert not check.delivered_count


@pytest.mark.parametrize("in_order", [True, False])
def test_packet_of_the_port_leaves_before_those_after_the_restart(in_order):
    check = restarted([A, B], 0, in_order)
    check.receiver.ready = [(0, C)]
    check.packet(A)
    check.packet(C)
    assert check.delivered_count == 1
    with pytest.raises(AssertionError, match="not complete"):
        check.packet(B)


@pytest.mark.parametrize("in_order", [True, False])
def test_a_second_restart_leaves_the_same_on_the_port(in_order):
    check = restarted([A, B], 0, in_order)
    check.receiver.ready = [(0, C)]
    check.restart(3)
    check.packet(A)
    check.packet(C)
    with pytest.raises(AssertionError, match="not complete"):
        check.packet(B)


NOT_ON_THE_PORT = {
    "nothing on the port": ([A], None, [A]),
    "three beats": ([A + B + C], 0, [A + B + C]),
    "three beats of a packet that had begun": ([A + B + C + C], 4, [A + B + C + C]),
    "three packets": ([A, B, C], 0, [A, B, C]),
    "a second packet of two beats": ([A, B + C], 0, [A, B + C]),
    "a beat after two of a packet": ([A + B, C], 0, [A + B, C]),
    "not complete": ([A + B], 0, [A]),
    "other bytes": ([A], 0, [B]),
    "twice": ([A, B], 0, [A, A]),
}


@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("name", NOT_ON_THE_PORT)
def test_what_was_not_on_the_port_at_a_restart_may_not_leave(name, in_order):
    ready, left, leave = NOT_ON_THE_PORT[name]
    check = restarted(ready, left, in_order)
    for packet in leave[:-1]:
        check.packet(packet)
    with pytest.raises(AssertionError, match="not complete"):
        check.packet(leave[-1])


def test_packet_out_of_turn_may_not_leave_after_a_restart():
    with pytest.raises(AssertionError, match="not the next"):
        restarted([A, B]).packet(B)


def test_nothing_leaves_whole_behind_a_packet_that_a_restart_has_cut():
    check = restarted([A, B])
    check.packet(A[:1], aborted=True)
    with pytest.raises(AssertionError, match="not complete"):
        check.packet(B)
