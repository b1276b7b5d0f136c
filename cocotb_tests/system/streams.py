# SPDX-License-Identifier: Apache-2.0
"""Stream drivers and monitors that cost nothing while their stream is idle.

Monitors look at the falling edge of the clock, where what the next rising edge will see has settled; the drivers change
signals after a rising edge only.
"""

import random

import cocotb
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge


def port(dut, name, default=None):
    """The port, or `default` where the block has none of that name."""
    return getattr(dut, name, default)


async def watch_units(dut, prefix, data_bytes, found, life=lambda: 0, begins=lambda: None):
    """Calls begins() at the first and found(bytes, erased) at the last beat of each unit on `prefix`. When `life()` changes what was
    begun is forgotten."""
    valid, data, last = (getattr(dut, f"{prefix}_{s}") for s in ("tvalid", "tdata", "tlast"))
    ready, user = port(dut, f"{prefix}_tready"), port(dut, f"{prefix}_tuser")
    raw, erased, begun = bytearray(), False, life()
    edge, start = FallingEdge(dut.aclk), RisingEdge(valid)
    while True:
        if not valid.value:
            await start
        await edge
        if not valid.value or (ready is not None and not ready.value):
            continue
        if begun != life():
            raw, erased, begun = bytearray(), False, life()
        if not raw:
            begins()
        raw += int(data.value).to_bytes(data_bytes, "little")
        erased |= user is not None and bool(user.value)
        if last.value:
            found(bytes(raw), erased)
            raw, erased = bytearray(), False


async def watch_packets(dut, prefix, data_bytes, found, life=lambda: 0):
    """Calls found(bytes, aborted) at the last beat of each packet on `prefix`; `life` as in watch_units."""
    valid, ready, data, keep, last, user = (getattr(dut, f"{prefix}_{s}") for s in ("tvalid", "tready", "tdata", "tkeep", "tlast", "tuser"))
    raw, aborted, begun = bytearray(), False, life()
    edge, start = FallingEdge(dut.aclk), RisingEdge(valid)
    while True:
        if not valid.value:
            await start
        await edge
        if not valid.value or not ready.value:
            continue
        count = int(keep.value).bit_count()
        if begun != life():
            raw, aborted, begun = bytearray(), False, life()
        raw += int(data.value).to_bytes(data_bytes, "little")[:count]
        aborted |= bool(user.value)
        if last.value:
            found(bytes(raw), aborted)
            raw, aborted = bytearray(), False


class PacketSource:
    """Sends packets on s_axis with random gaps between packets."""

    def __init__(self, dut, prefix, data_bytes, seed):
        self.dut, self.data_bytes = dut, data_bytes
        self.valid, self.ready, self.data, self.keep, self.last, self.user = (
            getattr(dut, f"{prefix}_{s}") for s in ("tvalid", "tready", "tdata", "tkeep", "tlast", "tuser")
        )
        self.valid.value = self.user.value = self.last.value = self.keep.value = self.data.value = 0
        self.rng = random.Random(seed)

    def start(self, packets, gap=0):
        """Begins to send; returns the task. `gap`: longest pause between two packets, in clocks."""
        return cocotb.start_soon(self._send(packets, gap))

    def beats(self, packet, abort=False):
        """(data, keep, user) of each beat of a packet; `abort` flags the last one."""
        parts = [packet[at : at + self.data_bytes] for at in range(0, len(packet), self.data_bytes)]
        return [(p, (1 << len(p)) - 1, abort and i == len(parts) - 1) for i, p in enumerate(parts)]

    async def _send(self, packets, gap):
        await RisingEdge(self.dut.aclk)
        for packet in packets:
            pause = self.rng.randint(0, gap)
            if pause:
                self.valid.value = 0
                await ClockCycles(self.dut.aclk, pause)
            await self.put(self.beats(packet))
        self.valid.value = 0

    async def put(self, beats):
        """Offers beats one after the other; ends after the clock edge that takes the last one."""
        rising, falling = RisingEdge(self.dut.aclk), FallingEdge(self.dut.aclk)
        for i, (data, keep, user) in enumerate(beats):
            self.data.value = int.from_bytes(data, "little")
            self.keep.value = keep
            self.user.value = int(user)
            self.last.value = int(i == len(beats) - 1)
            self.valid.value = 1
            taken = False
            while not taken:
                await falling
                taken = bool(self.ready.value)
                await rising


async def send_beats(source, beats):
    """Sends one packet given by its beats, and leaves the port idle."""
    await RisingEdge(source.dut.aclk)
    await source.put(beats)
    source.valid.value = 0


async def random_ready(dut, ready, share, longest, seed):
    """Holds `ready` high and low for random times of up to `longest` clocks; `share` of the time high."""
    rng = random.Random(seed)
    ready.value = 1
    while share < 1:
        await ClockCycles(dut.aclk, rng.randint(1, longest))
        ready.value = int(rng.random() < share)
