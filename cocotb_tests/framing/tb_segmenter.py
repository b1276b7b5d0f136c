# SPDX-License-Identifier: Apache-2.0
"""Segmenter: frames, filling, window, rollback of bad packets."""

import random
from collections import Counter
from typing import Any

import cocotb
from cocotbext.axi import AxiStreamFrame

from cocotb_tests.lib.bench import Bench, Events, Sink, pause
from cocotb_tests.lib.limits import built
from cocotb_tests.model.units import trailer

EVENTS = ["txPackets", "txBytes", "dropZero", "dropOversize", "dropAbort", "dropKeep"]
SN = 1 << 20


class Scoreboard:
    """Mirrors the frame store; when `head` moves, takes the packet out of it and compares."""

    def __init__(self, bench, limits, base=0):
        self.dut = bench.dut
        self.limits = limits
        self.bench = bench
        self.store = {}
        self.metas = {}
        self.expected = []
        self.done = 0
        self.head = 0
        self.base = base
        self.hold_base = False
        self.k_seen = set()
        self.frames = []
        self.dut.base.value = base
        self.writes = Sink(bench, "write_", [f"write_payload_{f}" for f in ("slot", "beat", "data")], log=self.written)
        bench.actors.append(self)

    def clear(self):
        self.store.clear()
        self.metas.clear()
        self.expected.clear()
        self.head = 0
        self.set_base(0)

    def set_base(self, base):
        self.base = base % SN
        self.dut.base.value = self.base

    def written(self, item):
        _, slot, beat, data = item
        window = self.limits.window_frames
        held = (self.head - self.base) % SN
        assert (slot - self.base) % window >= held, f"slot {slot} written while its frame is in flight"
        assert held < window, "written although the window is full"
        self.store[slot, beat] = data

    def step(self):
        self.k_seen.add(int(self.dut.k.value))
        if int(self.dut.meta_valid.value):
            fields = [int(getattr(self.dut, f"meta_payload_meta_{f}").value) for f in ("k", "pad", "sop", "eop")]
            self.metas[int(self.dut.meta_payload_slot.value)] = fields
        head = int(self.dut.head.value)
        if head != self.head:
            self.packet(self.head, head)
            self.head = head
        if not self.hold_base and self.base != self.head and random.random() < 0.02:
            self.set_base(self.base + random.randint(1, (self.head - self.base) % SN))

    def packet(self, first, end):
        limits = self.limits
        content = b""
        count = (end - first) % SN
        for i in range(count):
            slot = (first + i) % limits.window_frames
            k, pad, sop, eop = self.metas.pop(slot)
            assert sop == (i == 0) and eop == (i == count - 1), f"frame {i} of {count}: sop {sop}, eop {eop}"
            assert 1 <= k <= limits.max_k and 0 <= pad < limits.unit_bytes
            data = b"".join(self.store.pop((slot, b)).to_bytes(limits.data_bytes, "little") for b in range(k * limits.unit_beats))
            if eop:
                assert k <= max(self.k_seen)
                assert data[len(data) - pad :] == bytes(pad), "filling is not zero"
                data = data[: len(data) - pad]
            else:
                assert pad == 0 and k in self.k_seen, f"frame of {k} units although K was in {self.k_seen}"
            self.frames.append(k)
            content += data
        assert self.expected, "a packet that was not sent"
        wanted = self.expected.pop(0)
        assert content == wanted, f"packet {self.done}: {len(content)} bytes instead of {len(wanted)}, or other bytes"
        self.done += 1


class Traffic:
    """Makes packets, good and bad, and what is to become of them."""

    def __init__(self, bench, scoreboard, limits):
        self.source = bench.axis_source("s_axis")
        self.scoreboard = scoreboard
        self.limits = limits
        self.counts = Counter()

    def send(self, length, null_end=False, keep_error=False, abort=False):
        width = self.limits.data_bytes
        data = bytearray(random.randbytes(length))
        keep = [1] * length
        filling = -length % width or (width if not length else 0)
        data += random.randbytes(filling)
        keep += [0] * filling
        if null_end:
            data += random.randbytes(width)
            keep += [0] * width
        user = [0] * len(data)
        if keep_error:
            assert len(data) > width
            place = random.randrange((len(data) - 1) // width) * width
            keep[place + random.randrange(width)] = 0
        if abort:
            place = random.randrange(len(data) // width) * width
            user[place : place + width] = [1] * width
        self.source.send_nowait(AxiStreamFrame(bytes(data), tkeep=keep, tuser=user))
        if keep_error:
            self.counts["dropKeep"] += 1
        elif abort:
            self.counts["dropAbort"] += 1
        elif length > self.limits.max_packet_bytes:
            self.counts["dropOversize"] += 1
        elif length == 0:
            self.counts["dropZero"] += 1
        else:
            self.counts["txPackets"] += 1
            self.counts["txBytes"] += length
            packet = bytes(data[:length])
            self.scoreboard.expected.append(packet + trailer(packet)[: self.limits.crc_bytes])

    def send_beats(self, keeps, aborts=()):
        """A packet by its beats: what of each is kept, bit 0 for its first byte, and which have tuser."""
        width, data = self.limits.data_bytes, random.randbytes(len(keeps) * self.limits.data_bytes)
        keep = [pattern >> i & 1 for pattern in keeps for i in range(width)]
        user = [int(beat in aborts) for beat in range(len(keeps)) for _ in range(width)]
        self.source.send_nowait(AxiStreamFrame(data, tkeep=keep, tuser=user))
        *full, last = keeps
        if any(pattern + 1 != 1 << width for pattern in full) or last & (last + 1):
            self.counts["dropKeep"] += 1
        elif aborts:
            self.counts["dropAbort"] += 1
        elif not sum(keep):
            self.counts["dropZero"] += 1
        else:
            packet = data[: sum(keep)]
            self.counts["txPackets"] += 1
            self.counts["txBytes"] += len(packet)
            self.scoreboard.expected.append(packet + trailer(packet)[: self.limits.crc_bytes])

    async def drain(self, bench, limit=100000):
        await bench.until(lambda: self.source.idle() and not self.scoreboard.expected, limit, "all packets stored")
        await bench.clocks(self.limits.unit_beats + 10)
        assert not self.scoreboard.expected


async def prepare(dut, k=None, base=0):
    limits = built()
    dut.k.value = k or limits.max_k
    bench = Bench(dut)
    scoreboard = Scoreboard(bench, limits, base)
    events = Events(bench, EVENTS)
    traffic = Traffic(bench, scoreboard, limits)
    await bench.start()
    return limits, bench, scoreboard, events, traffic


def lengths(limits, k):
    """Lengths across beat, unit and frame boundaries."""
    w, u = limits.data_bytes, limits.unit_bytes
    near = {x + d for x in (w, u, 2 * u, k * u, 2 * k * u) for d in (-w, -1, 0, 1, w)}
    return sorted(x for x in near | {1, 2, 3} if x > 0)


@cocotb.test()
async def lengths_and_bad_packets(dut):
    k = 3
    limits, bench, scoreboard, events, traffic = await prepare(dut, k=k)
    traffic.source.set_pause_generator(pause(0.8))
    scoreboard.writes.rate = 0.85
    plan: list[dict[str, Any]] = [dict(length=x) for x in lengths(limits, k)]
    plan += [dict(length=random.randint(1, 3 * limits.unit_bytes)) for _ in range(40)]
    plan += [dict(length=x - x % limits.data_bytes, null_end=True) for x in lengths(limits, k) if x >= limits.data_bytes]
    plan += [dict(length=random.randint(2 * limits.data_bytes, 3 * limits.unit_bytes), keep_error=True) for _ in range(8)]
    plan += [dict(length=random.randint(1, 3 * limits.unit_bytes), abort=True) for _ in range(8)]
    plan += [dict(length=0)] * 4 + [dict(length=0, abort=True)]
    plan += [dict(length=3 * limits.unit_bytes, abort=True, keep_error=True)]
    random.shuffle(plan)
    for item in plan:
        traffic.send(**item)
    await traffic.drain(bench)
    assert dict(events.count) == dict(traffic.counts), f"{dict(events.count)} instead of {dict(traffic.counts)}"


@cocotb.test()
async def every_tkeep_and_mark(dut):
    """Each pattern of tkeep in each beat of packets of one to three beats, or 200 of them where there are more; tuser in each beat, an empty one too."""
    limits, bench, _, events, traffic = await prepare(dut)
    full = (1 << limits.data_bytes) - 1
    patterns = range(full + 1) if limits.data_bytes <= 4 else [0, full, *random.sample(range(full + 1), 198)]
    for pattern in patterns:
        for others in range(3):
            for at in range(others + 1):
                keeps = [full] * others
                keeps.insert(at, pattern)
                traffic.send_beats(keeps)
    for beats in range(1, 4):
        for last in {1, full, 0}:
            for at in range(beats):
                traffic.send_beats([full] * (beats - 1) + [last], {at})
    await traffic.drain(bench)
    await bench.clocks(100)  # what is dropped is not waited for
    assert dict(events.count) == dict(traffic.counts), f"{dict(events.count)} instead of {dict(traffic.counts)}"


@cocotb.test()
async def longest_and_oversize(dut):
    limits, bench, scoreboard, events, traffic = await prepare(dut)
    most = limits.max_packet_bytes
    plan: tuple[dict[str, Any], ...] = (
        dict(length=most),
        dict(length=most + 1),
        dict(length=5),
        dict(length=most + limits.unit_bytes + 3, abort=limits.data_bytes > 1),
        dict(length=most - most % limits.data_bytes, null_end=True),
        dict(length=most + limits.data_bytes, keep_error=True),
        dict(length=limits.unit_bytes),
    )
    for item in plan:
        traffic.send(**item)
    await traffic.drain(bench)
    assert dict(events.count) == dict(traffic.counts), f"{dict(events.count)} instead of {dict(traffic.counts)}"


@cocotb.test()
async def k_changes(dut):
    limits, bench, scoreboard, events, traffic = await prepare(dut, k=1)
    scoreboard.k_seen.clear()
    for _ in range(12):
        traffic.send(random.randint(1, 6 * limits.unit_bytes))
    for _ in range(2000):
        if traffic.source.idle() and not scoreboard.expected:
            break
        dut.k.value = random.choice([1, 2, limits.max_k])
        await bench.clocks(random.randint(1, 2 * limits.unit_beats))
    await traffic.drain(bench)
    assert len(set(scoreboard.frames)) > 1


@cocotb.test()
async def window_full(dut):
    limits = built()
    free = 3
    base = SN - (limits.window_frames - free)
    limits, bench, scoreboard, events, traffic = await prepare(dut, k=1, base=base)
    scoreboard.hold_base = True
    scoreboard.set_base(base)
    frames = 7
    for _ in range(frames):
        traffic.send(limits.unit_bytes - limits.crc_bytes)
    # A packet that needs two frames may not go in when one is free.
    traffic.send(2 * limits.unit_bytes - limits.crc_bytes)
    for freed in range(frames - free + 3):
        await bench.clocks(4 * limits.unit_beats + 40)
        expected = min(free + freed, frames) if free + freed < frames + 2 else frames + 2
        assert scoreboard.head == expected, f"head {scoreboard.head} with {freed} slots freed"
        scoreboard.set_base(base + freed + 1)
    await traffic.drain(bench)


@cocotb.test()
async def too_long_packets_do_not_lock_the_window(dut):
    """At K = 1 the longest packet may need the whole window. What shows that a packet is longer comes when its own frames, none of
    which may be sent, hold all slots. Its frames wait for slots of earlier ones as well."""
    limits, bench, scoreboard, events, traffic = await prepare(dut, k=1)
    most, beat = limits.max_packet_bytes, limits.data_bytes
    scoreboard.hold_base = True
    for earlier, longer in ((0, beat), (0, limits.unit_bytes + 1), (3, 1), (40, 2 * limits.unit_bytes), (1, most)):
        for _ in range(earlier):
            traffic.send(limits.unit_bytes)
        traffic.send(most + longer)
        traffic.send(most + beat, abort=True)
        for length in (limits.unit_bytes + 1, 1, 2 * limits.unit_bytes):
            traffic.send(length)
        # Earlier frames are in flight: their slots become free late, one by one.
        await bench.clocks(most // beat + 4 * limits.unit_beats)
        while earlier and (scoreboard.expected or scoreboard.base != scoreboard.head):
            if scoreboard.base != scoreboard.head:
                scoreboard.set_base(scoreboard.base + 1)
            await bench.clocks(random.randint(1, 3))
        await traffic.drain(bench)
        scoreboard.set_base(scoreboard.head)
    traffic.send(most)
    await traffic.drain(bench)
    assert dict(events.count) == dict(traffic.counts), f"{dict(events.count)} instead of {dict(traffic.counts)}"


@cocotb.test()
async def bad_packets_leave_a_full_window(dut):
    """Beats that are not stored need no slot: a packet known to be bad is accepted and counted while frames in flight hold all slots."""
    limits = built()
    base = SN - limits.window_frames
    limits, bench, scoreboard, events, traffic = await prepare(dut, k=1)
    scoreboard.hold_base = True
    scoreboard.set_base(base)
    traffic.send(0)
    traffic.send(limits.data_bytes, abort=True)
    traffic.send(0)
    await bench.clocks(6 * limits.unit_beats + 40)
    assert events.count["dropZero"] == 2 and events.count["dropAbort"] == 1, dict(events.count)
    traffic.send(1)
    traffic.send(0)
    await bench.clocks(6 * limits.unit_beats + 40)
    assert scoreboard.head == 0 and events.count["dropZero"] == 2, "a packet was stored although the window is full"
    scoreboard.set_base(base + 1)
    await traffic.drain(bench)
    assert dict(events.count) == dict(traffic.counts), f"{dict(events.count)} instead of {dict(traffic.counts)}"


@cocotb.test()
async def no_bubbles(dut):
    limits, bench, scoreboard, events, traffic = await prepare(dut)
    packets = 6
    size = limits.max_k * limits.unit_bytes + limits.unit_bytes
    for _ in range(packets):
        traffic.send(size - limits.crc_bytes)
    clocks = []
    scoreboard.writes.log = lambda item: (clocks.append(item[0]), scoreboard.written(item))
    await traffic.drain(bench)
    total = packets * size // limits.data_bytes
    assert len(clocks) == total
    assert clocks[-1] - clocks[0] + 1 == total, f"{clocks[-1] - clocks[0] + 1 - total} bubbles in {total} beats"


@cocotb.test()
async def reset_while_stalled(dut):
    limits, bench, scoreboard, events, traffic = await prepare(dut)
    traffic.send(2 * limits.unit_bytes)
    await traffic.drain(bench)
    scoreboard.writes.rate = 0
    traffic.send(3 * limits.unit_bytes)
    await bench.clocks(2 * limits.unit_beats)
    traffic.source.clear()
    await bench.reset()
    await bench.clocks(5)
    assert int(dut.head.value) == 0 and not int(dut.write_valid.value)
    scoreboard.writes.rate = 1
    traffic.send(limits.unit_bytes + 1)
    await traffic.drain(bench)
    assert scoreboard.done == 2 and scoreboard.head == 1
