# SPDX-License-Identifier: Apache-2.0
"""A packet source, and monitors that cost nothing while their stream is idle.

Monitors look at the falling edge of the clock, where what the next rising edge will see has settled; the drivers change
signals after a rising edge only.
"""

import logging

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge
from cocotbext.axi import AxiStreamFrame

from cocotb_tests.lib.bench import axis_source
from cocotb_tests.lib.edges import rising_edges
from cocotb_tests.lib.signals import optional, reader
from tests import seeds


async def watch_units(dut, prefix, data_bytes, found, life=lambda: 0, begins=lambda: None):
    """Calls begins() at the first and found(bytes, erased) at the last beat of each unit on `prefix`. When `life()` changes what was
    begun is forgotten."""
    valid, data, last = (reader(getattr(dut, f"{prefix}_{s}")) for s in ("tvalid", "tdata", "tlast"))
    ready, user = optional(dut, f"{prefix}_tready", 1), optional(dut, f"{prefix}_tuser", 0)
    raw, erased, begun = bytearray(), False, life()
    edge, start = FallingEdge(dut.aclk), RisingEdge(getattr(dut, f"{prefix}_tvalid"))
    while True:
        if not valid():
            await start
        await edge
        if not valid() or not ready():
            continue
        if begun != life():
            raw, erased, begun = bytearray(), False, life()
        if not raw:
            begins()
        raw += data().to_bytes(data_bytes, "little")
        erased |= bool(user())
        if last():
            found(bytes(raw), erased)
            raw, erased = bytearray(), False


async def watch_packets(dut, prefix, data_bytes, found, life=lambda: 0, raw=None):
    """Calls found(bytes, aborted) at the last beat of each packet on `prefix`; `life` as in watch_units. `raw` is given to hold what has come of a packet."""
    valid, ready, data, keep, last, user = (reader(getattr(dut, f"{prefix}_{s}")) for s in ("tvalid", "tready", "tdata", "tkeep", "tlast", "tuser"))
    raw = bytearray() if raw is None else raw
    aborted, begun = False, life()
    edge, start = FallingEdge(dut.aclk), RisingEdge(getattr(dut, f"{prefix}_tvalid"))
    while True:
        if not valid():
            await start
        await edge
        if not valid() or not ready():
            continue
        count = keep().bit_count()
        if begun != life():
            raw.clear()
            aborted, begun = False, life()
        raw += data().to_bytes(data_bytes, "little")[:count]
        aborted |= bool(user())
        if last():
            packet, was_aborted, aborted = bytes(raw), aborted, False
            raw.clear()
            found(packet, was_aborted)


def shows(dut, prefix, raw):
    """A function for EndChecker's `port`: that of packets on `prefix`, whose watcher has `raw`."""
    valid = reader(getattr(dut, f"{prefix}_tvalid"))
    return lambda: len(raw) if valid() else None


class PacketSource:
    """Sends packets with random gaps between them."""

    def __init__(self, dut, prefix, seed):
        self.clock = dut.aclk
        self.axis = axis_source(dut, prefix)
        self.axis.log.setLevel(logging.WARNING)
        self.axis.queue_occupancy_limit_frames = 1  # packets follow each other without a gap, and an endless supply of them waits
        self.rng = seeds.rng(seed)

    def start(self, packets, gap=0):
        """Begins to send; returns the task. `gap`: longest pause between two packets, in clocks."""
        return cocotb.start_soon(self._send(packets, gap))

    async def _send(self, packets, gap):
        for packet in packets:
            pause = self.rng.randint(0, gap)
            if pause:
                await self.axis.wait()
                await rising_edges(self.clock, pause)
            await self.axis.send(packet)
        await self.axis.wait()

    async def send(self, packet, **fields):
        """Sends one packet; `fields`: tkeep or tuser of each byte. Ends when its last beat has been accepted."""
        await self.axis.send(AxiStreamFrame(packet, **fields))
        await self.axis.wait()


async def random_ready(dut, ready, share, longest, seed):
    """Holds `ready` high and low for random times of up to `longest` clocks; `share` of the time high."""
    rng = seeds.rng(seed)
    ready.value = 1
    while share < 1:
        await rising_edges(dut.aclk, rng.randint(1, longest))
        ready.value = int(rng.random() < share)
