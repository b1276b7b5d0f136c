# SPDX-License-Identifier: Apache-2.0
"""UnitMover: the beats of each unit go where its order says, whatever a restart makes the receiver forget."""

import random
from collections import deque

import cocotb

from cocotb_tests.lib.bench import Bench, Events, Sink, Source
from cocotb_tests.lib.limits import built

BEATS = built().unit_beats
SLOT = 1 << (built().max_k * BEATS - 1).bit_length()
UNITS, MOST, BUFFER = 400, 4, 12
"""Units of a run; most headers that the receiver holds; most units that the deframer holds."""


class Receiver:
    """Takes headers, gives an order for each after a while, and is emptied now and then; it counts on beats that say of which unit they are."""

    def __init__(self, bench, payload, restarts):
        self.bench, self.dut, self.payload, self.restarts = bench, bench.dut, payload, restarts
        self.next, self.held, self.offered = 0, deque(), None
        self.accepted = []  # (unit, begins, writes, completes), or the clock of a restart
        self.forgotten = 0
        self.flush_left = 0
        bench.actors.append(self)
        self.clear()

    def clear(self):
        for name in ("flush", "taken", "order_valid"):
            getattr(self.dut, f"io_{name}").value = 0

    def step(self):
        dut = self.dut
        if self.offered and int(dut.io_order_ready.value) and not int(dut.io_flush.value):
            self.accepted.append(self.offered)
            self.held.popleft()
            self.offered = None
        if int(dut.io_taken.value):
            self.held.append(self.next - 1)
        if int(dut.io_flush.value):  # in its first clock the order of a register without reset is still there
            self.forgotten += len(self.held)
            self.held.clear()
            self.offered = None
        if not self.flush_left and random.random() < self.restarts:
            self.flush_left = random.choice([1, 2, 7, 40])
            self.accepted.append(self.bench.clock)
        flush = self.flush_left > 0
        self.flush_left -= flush
        dut.io_flush.value = int(flush)
        if self.offered is None and self.held and not int(dut.io_flush.value) and random.random() < 0.7:
            begins, writes = random.random() < 0.4, random.random() < 0.7
            self.offered = (self.held[0], begins, writes, writes and random.random() < 0.5)
            dut.io_order_payload_slot.value = self.held[0] % 64
            for name, value in zip(("begins", "writes", "completes"), self.offered[1:]):
                getattr(dut, f"io_order_payload_{name}").value = int(value)
        dut.io_order_valid.value = int(self.offered is not None)
        waits = self.next - self.payload.accepted // BEATS
        takes = self.next < UNITS and waits < BUFFER and len(self.held) < MOST and random.random() < 0.3
        dut.io_taken.value = int(takes)
        self.next += takes


def judge(accepted, writes):
    """Of all accepted orders: the beats come whole and in order, but for the one that a restart ends. Returns the frames that are completed whole."""
    written = deque(writes)
    place, whole = None, 0
    for order, after in zip(accepted, [*accepted[1:], ()]):
        if isinstance(order, int):
            continue
        unit, begins, is_written, completes = order
        place = 0 if begins else place
        beats = 0
        while is_written and written and written[0][3] // BEATS == unit:
            clock, slot, beat, word = written.popleft()
            assert not isinstance(after, int) or clock <= after + 2, "a beat is written in spite of a restart"
            assert (slot, word % BEATS) == (unit % 64, beats)
            assert place in (None, beat)
            place = (beat + 1) % SLOT
            beats += 1
        assert beats == BEATS * is_written or isinstance(after, int), f"unit {unit} has {beats} beats in the store"
        whole += completes and beats == BEATS
        place = None if isinstance(after, int) and is_written else place
    assert not written
    return whole


@cocotb.test()
@cocotb.parametrize(restarts=[0.0, 0.003, 0.03], rate=[1.0, 0.6])
async def units_and_restarts(dut, restarts, rate):
    """Orders of all kinds; a restart at any time leaves no beat for a frame of another unit."""
    bench = Bench(dut)
    payload = Source(bench, "io_payload_", ["io_payload_payload_fragment", "io_payload_payload_last"], rate)
    writes = Sink(bench, "io_write_", [f"io_write_payload_{f}" for f in ("slot", "beat", "data")], rate)
    events = Events(bench, ["io_completes", "io_drops"])
    receiver = Receiver(bench, payload, restarts)
    writes.strict = False  # a restart takes a beat back
    await bench.start()
    payload.queue += [(unit * BEATS + i, int(i == BEATS - 1)) for unit in range(UNITS) for i in range(BEATS)]
    await bench.until(lambda: payload.idle and not payload.offered and not receiver.held, UNITS * BEATS * 40, "all units have left")
    await bench.clocks(50)
    receiver.restarts = 0
    whole = judge(receiver.accepted, writes.items)
    assert events.count["io_completes"] == whole
    assert events.count["io_drops"] == receiver.forgotten, "units that were forgotten are counted, each once"
