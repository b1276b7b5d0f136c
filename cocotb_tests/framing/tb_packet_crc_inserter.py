# SPDX-License-Identifier: Apache-2.0
"""PacketCrcInserter: the CRC-32C behind each good packet's last byte; bad packets as they came."""

import random

import cocotb

from cocotb_tests.lib.bench import Bench, Sink, Source
from cocotb_tests.lib.limits import built
from cocotb_tests.model.units import trailer

FIELDS = ["data", "bytes", "last", "empty", "store", "total"]


def fields(direction):
    return [f"{direction}_payload_{'' if f in ('store', 'total') else 'beat_'}{f}" for f in FIELDS]


class Ends:
    """Sends packets and knows the beats that have to leave."""

    def __init__(self, dut, rate=1.0, ready=1.0):
        self.limits = built()
        self.bench = Bench(dut)
        self.source = Source(self.bench, "input_", fields("input"), rate)
        self.sink = Sink(self.bench, "output_", fields("output"), ready)
        self.expected = []

    def beats(self, data, flags, total):
        """(data, bytes, last, empty, store, total) of each beat; `flags` says which beats are to be stored."""
        width = self.limits.data_bytes
        parts = [data[i : i + width] for i in range(0, len(data), width)] or [b""]
        return [(int.from_bytes(p, "little"), len(p), int(i == len(parts) - 1), int(not p), int(flags(i)), total) for i, p in enumerate(parts)]

    def good(self, length):
        packet = random.randbytes(length)
        self.source.queue += self.beats(packet, lambda i: True, length)
        self.expected += self.beats(packet + trailer(packet), lambda i: True, length)

    def bad(self, length):
        """A packet that turns out bad with one of its beats, at the latest the last one."""
        count = max(1, -(-length // self.limits.data_bytes))
        from_beat = random.randrange(count)
        beats = self.beats(random.randbytes(length), lambda i: i < from_beat, length)
        self.source.queue += beats
        self.expected += beats

    async def check(self, limit=100_000):
        await self.bench.until(lambda: self.source.idle and len(self.sink.items) >= len(self.expected), limit, "all beats out")
        await self.bench.clocks(20)
        for i, (item, wanted) in enumerate(zip(self.sink.items, self.expected)):
            assert item[1:] == wanted, f"beat {i}: {item[1:]} instead of {wanted}"
        assert len(self.sink.items) == len(self.expected)
        clocks = [item[0] for item in self.sink.items]
        self.sink.items.clear()
        self.expected.clear()
        return clocks


@cocotb.test()
async def all_lengths(dut):
    """Good packets of 1 to 70 bytes among bad and empty ones, with pauses on both sides."""
    ends = Ends(dut, 0.8, 0.7)
    await ends.bench.start()
    lengths = [*range(1, 71), ends.limits.max_packet_bytes]
    random.shuffle(lengths)
    for length in lengths:
        ends.good(length)
        if random.random() < 0.3:
            ends.bad(random.randint(0, 40))
    await ends.check()


@cocotb.test()
async def full_rate(dut):
    """One beat a clock leaves, those of the CRC among them, over packet boundaries too."""
    ends = Ends(dut)
    await ends.bench.start()
    for _ in range(40):
        ends.good(random.randint(1, 60))
    wanted = len(ends.expected)
    begun = []

    class Watch:
        def clear(self):
            pass

        def step(self):
            if int(dut.input_valid.value) and int(dut.input_ready.value):
                begun.append(ends.bench.clock)

    ends.bench.actors.append(Watch())
    clocks = await ends.check()
    dut._log.warning("the first beat leaves the output %d clocks after it was accepted", clocks[0] - begun[0])
    assert clocks[-1] - clocks[0] + 1 == wanted, f"{clocks[-1] - clocks[0] + 1 - wanted} bubbles in {wanted} beats"


@cocotb.test()
async def reset_within_a_packet(dut):
    """Nothing of a packet that a reset has cut shows in the next one's CRC."""
    ends = Ends(dut, 0.9, 0.8)
    await ends.bench.start()
    for _ in range(20):
        for _ in range(3):
            ends.good(random.randint(1, 60))
        await ends.bench.clocks(random.randint(1, 40))
        ends.expected.clear()
        await ends.bench.reset()
        ends.sink.items.clear()
        ends.good(random.randint(1, 60))
        ends.good(5)
        await ends.check()
