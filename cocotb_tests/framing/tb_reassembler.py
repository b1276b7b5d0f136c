# SPDX-License-Identifier: Apache-2.0
"""Reassembler: filling cut, packets ended in the right byte, flush."""

import random

import cocotb

from cocotb_tests.lib.bench import Bench, Events, Source, beats, pause
from cocotb_tests.lib.limits import built

FRAME = [f"frame_payload_{f}" for f in ("k", "pad", "sop", "eop")]


class Feeder:
    """Cuts packets into frames and feeds them to the block."""

    def __init__(self, bench, limits, rate=1.0):
        self.limits = limits
        self.frame = Source(bench, "frame_", FRAME, rate)
        self.units = Source(bench, "units_t", ["units_tdata", "units_tlast"], rate)
        self.packets = []

    def send(self, length, k):
        limits = self.limits
        packet = random.randbytes(length)
        self.packets.append(packet)
        size = k * limits.unit_bytes
        for start in range(0, length, size):
            part = packet[start : start + size]
            used = -(-len(part) // limits.unit_bytes)
            pad = used * limits.unit_bytes - len(part)
            eop = start + size >= length
            # The filling may hold anything, and pad means nothing but in the last frame.
            shown = pad if eop else random.randrange(limits.unit_bytes)
            self.frame.queue.append((used, shown, int(start == 0), int(eop)))
            for i, word in enumerate(beats(part + random.randbytes(pad), limits.data_bytes)):
                self.units.queue.append((word, int(i % limits.unit_beats == limits.unit_beats - 1)))

    @property
    def idle(self):
        return self.frame.idle and self.units.idle


async def prepare(dut, rate=1.0, ready=1.0):
    limits = built()
    dut.flush.value = 0
    bench = Bench(dut)
    feeder = Feeder(bench, limits, rate)
    events = Events(bench, ["rxPackets", "rxBytes"])
    sink = bench.axis_sink("m_axis")
    if ready < 1:
        sink.set_pause_generator(pause(ready))
    await bench.start()
    return limits, bench, feeder, events, sink


async def check(bench, feeder, sink, limit=60000):
    await bench.until(lambda: feeder.idle and sink.count() >= len(feeder.packets), limit, "all packets out")
    await bench.clocks(20)
    assert sink.count() == len(feeder.packets)
    for i, packet in enumerate(feeder.packets):
        frame = sink.recv_nowait()
        assert bytes(frame.tdata) == packet, f"packet {i}: {len(frame.tdata)} bytes instead of {len(packet)}, or other bytes"
        assert not frame.tuser


@cocotb.test()
async def lengths(dut):
    limits, bench, feeder, events, sink = await prepare(dut, 0.85, 0.8)
    w, u = limits.data_bytes, limits.unit_bytes
    plan = {x + d for x in (w, u, 2 * u, 4 * u) for d in (-w, -1, 0, 1, w)} | {1, 2, 3}
    plan = [x for x in plan if x > 0] + [random.randint(1, 3 * u) for _ in range(40)]
    random.shuffle(plan)
    for length in plan:
        feeder.send(length, random.choice([1, 2, limits.max_k]))
    await check(bench, feeder, sink)
    assert events.count["rxPackets"] == len(plan)
    assert events.count["rxBytes"] == sum(plan)


@cocotb.test()
async def longest_at_full_rate(dut):
    limits, bench, feeder, events, sink = await prepare(dut)
    valid, begun = dut.m_axis_tvalid, []

    class Watch:
        def clear(self):
            pass

        def step(self):
            if int(valid.value):
                begun.append(bench.clock)

    bench.actors.append(Watch())
    whole = limits.unit_bytes * (limits.max_packet_bytes // limits.unit_bytes)
    sizes = [whole, limits.unit_bytes, 3 * limits.unit_bytes, limits.unit_bytes]
    for size in sizes:
        feeder.send(size, limits.max_k)
    await check(bench, feeder, sink)
    total = sum(sizes) // limits.data_bytes
    assert len(begun) == total
    assert begun[-1] - begun[0] + 1 == total, f"{begun[-1] - begun[0] + 1 - total} bubbles in {total} beats"
    feeder.packets.clear()
    feeder.send(limits.max_packet_bytes, limits.max_k)
    await check(bench, feeder, sink)


@cocotb.test()
async def flush(dut):
    limits, bench, feeder, events, sink = await prepare(dut, 0.9, 0.7)
    for _ in range(12):
        feeder.packets.clear()
        feeder.send(3, 1)
        feeder.send(random.randint(1, 6 * limits.unit_bytes), random.choice([1, 2]))
        await bench.clocks(random.randint(limits.unit_beats + 4, 6 * limits.unit_beats))
        dut.flush.value = 1
        feeder.frame.clear()
        feeder.units.clear()
        await bench.clocks(random.randint(1, 8))
        dut.flush.value = 0
        await bench.clocks(30)
        # What came out: whole packets, then perhaps the beginning of the next and one byte with tuser.
        while not sink.empty():
            frame = sink.recv_nowait()
            packet = feeder.packets.pop(0)
            if frame.tuser:
                assert bytes(frame.tdata)[:-1] == packet[: len(frame.tdata) - 1], "abort of other bytes"
                assert len(frame.tdata) > 1 and not feeder.packets[0:0]
                feeder.packets.clear()
                assert sink.empty()
            else:
                assert bytes(frame.tdata) == packet
        feeder.packets.clear()
        feeder.send(limits.unit_bytes + 1, 2)
        await check(bench, feeder, sink)


@cocotb.test()
async def reset_while_stalled(dut):
    limits, bench, feeder, events, sink = await prepare(dut)
    sink.pause = True
    feeder.send(3 * limits.unit_bytes, 2)
    await bench.clocks(20)
    assert int(dut.m_axis_tvalid.value)
    await bench.reset()
    await bench.clocks(2)
    assert not int(dut.m_axis_tvalid.value)
    sink.clear()
    sink.pause = False
    feeder.packets.clear()
    feeder.send(2 * limits.unit_bytes + 1, 2)
    await check(bench, feeder, sink)
