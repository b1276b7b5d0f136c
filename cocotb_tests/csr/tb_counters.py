# SPDX-License-Identifier: Apache-2.0
"""Counter bank against sums made here: nothing is lost, and a snapshot is of one clock. With as many counters as a link has, or SPARE more."""

import os
import random

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from cocotb_tests.lib.edges import rising_edges, start_clock
from cocotb_tests.lib.regs import regs
from cocotb_tests.lib.sweep import sweep

SPARE = [f"spare_{i}" for i in range(int(os.environ.get("SPARE", "0")))]
NAMES = [*regs.COUNTERS, *SPARE]
WIDTHS = [*(c.increment for c in regs.COUNTERS.values()), *(8 if i == 0 else 1 for i in range(len(SPARE)))]
BUSY_CLOCKS = 400 if len(NAMES) > 60 else 200


class Bench:
    def __init__(self, dut):
        self.dut = dut
        self.inputs = [getattr(dut, f"io_events_{name}") for name in NAMES]
        self.now = [0] * len(NAMES)
        self.sums = [0] * len(NAMES)
        self.history = []  # sums after each clock since the last snapshot request

    async def start(self):
        random.seed(cocotb.RANDOM_SEED)
        start_clock(self.dut.aclk, 10, self.dut.aresetn)
        for signal in (*self.inputs, self.dut.io_port_snapshot, self.dut.io_port_clear, self.dut.io_port_read):
            signal.value = 0
        for name in ("address", "watch", "level", "rearm"):
            getattr(self.dut, f"io_port_{name}").value = 0
        await rising_edges(self.dut.aclk, 3)
        self.dut.aresetn.value = 1

    def set(self, values):
        """Changed inputs only: writes to signals are what costs time here."""
        for i, value in enumerate(values):
            if value != self.now[i]:
                self.inputs[i].value = value
        self.now = values

    async def clock(self, values):
        self.set(values)
        await RisingEdge(self.dut.aclk)
        self.sums = [s + v for s, v in zip(self.sums, values)]

    async def read(self):
        words = []
        for address in range(2 * len(NAMES)):
            self.dut.io_port_address.value = address
            self.dut.io_port_read.value = 1
            await RisingEdge(self.dut.aclk)
            self.dut.io_port_read.value = 0
            await RisingEdge(self.dut.aclk)
            await ReadOnly()
            words.append(int(self.dut.io_port_data.value))
            await RisingEdge(self.dut.aclk)
        return [low | high << 32 for low, high in zip(words[::2], words[1::2])]

    async def snapshot(self, values=None, clear=False, snapshot=True):
        """Asks, and keeps events coming until it is done; returns the snapshot and the sums of the clocks meanwhile."""
        self.dut.io_port_snapshot.value = int(snapshot)
        self.dut.io_port_clear.value = int(clear)
        history = [self.sums]
        for i in range(BUSY_CLOCKS):
            await self.clock(values() if values else [0] * len(NAMES))
            history.append(self.sums)
            self.dut.io_port_snapshot.value = 0
            self.dut.io_port_clear.value = 0
            await ReadOnly()
            busy = int(self.dut.io_port_busy.value)
            await RisingEdge(self.dut.aclk)  # the inputs stay for one more clock
            self.sums = [s + v for s, v in zip(self.sums, self.now)]
            history.append(self.sums)
            if i and not busy:
                break
        else:
            raise AssertionError("busy for ever")
        self.set([0] * len(NAMES))
        return await self.read(), history


def some(density):
    return [(random.getrandbits(w) if random.random() < 0.5 else (1 << w) - 1) if random.random() < density else 0 for w in WIDTHS]


@cocotb.test()
async def random_increments(dut):
    """20,000 clocks of events on all inputs, from the first clock after reset, dense and sparse."""
    bench = Bench(dut)
    await bench.start()
    for block in range(2000):
        density = (0.0, 0.02, 0.3, 1.0)[block // 10 % 4]
        values = some(density)
        for _ in range(10):
            await bench.clock(values)
    await bench.clock([0] * len(NAMES))
    seen, _ = await bench.snapshot()
    assert seen == bench.sums


@cocotb.test()
async def full_rate(dut):
    """The largest increment on every input in every clock: no pending sum overflows."""
    bench = Bench(dut)
    await bench.start()
    top = [(1 << w) - 1 for w in WIDTHS]
    for _ in range(6000):
        await bench.clock(top)
    seen, _ = await bench.snapshot()
    assert seen == bench.sums
    assert max(seen) >> 32, "the carry into the high word was not reached"
    assert max(seen) >> 16, "no carry between words was reached"


@cocotb.test()
async def snapshot_is_of_one_clock(dut):
    """Under traffic the copy equals the sums after some one clock since the request."""
    bench = Bench(dut)
    await bench.start()
    for _ in range(20):
        for _ in range(random.randrange(100)):
            await bench.clock(some(0.5))
        seen, history = await bench.snapshot(lambda: some(0.5))
        assert seen in history


@cocotb.test()
async def snapshots_in_each_clock(dut):
    """A snapshot is asked for, and again in each clock until the first one is done, behind one more event: what is read then has that event."""
    bench = Bench(dut)
    await bench.start()
    event = dut.io_events_link_restarts
    low = 2 * NAMES.index("link_restarts")

    async def pulse(signal):
        signal.value = 1
        await RisingEdge(dut.aclk)
        signal.value = 0

    async def read():
        dut.io_port_address.value = low
        await pulse(dut.io_port_read)
        await rising_edges(dut.aclk, 2)
        return int(dut.io_port_data.value)

    count = 0

    async def case(clock):
        nonlocal count
        count += 1
        await pulse(dut.io_port_snapshot)
        await rising_edges(dut.aclk, clock)
        await pulse(event)
        await rising_edges(dut.aclk, 1)
        await pulse(dut.io_port_snapshot)
        for _ in range(2 * BUSY_CLOCKS // 10):
            await rising_edges(dut.aclk, 10)
            if not int(dut.io_port_busy.value):
                break
        else:
            raise AssertionError("busy for ever")
        assert await read() == count

    await sweep(range(BUSY_CLOCKS + 100), case)


@cocotb.test()
async def clear_loses_nothing(dut):
    """Snapshots that clear, under traffic: together with what is left they hold every event once."""
    bench = Bench(dut)
    await bench.start()
    total = [0] * len(NAMES)
    for _ in range(10):
        seen, _ = await bench.snapshot(lambda: some(0.5), clear=True)
        total = [t + s for t, s in zip(total, seen)]
    seen, _ = await bench.snapshot()
    assert [t + s for t, s in zip(total, seen)] == bench.sums
    kept, _ = await bench.snapshot(clear=True, snapshot=False)
    assert kept == seen
    seen, _ = await bench.snapshot()
    assert seen == [0] * len(NAMES)


@cocotb.test()
async def reset_clears(dut):
    bench = Bench(dut)
    await bench.start()
    for _ in range(150):
        await bench.clock(some(0.5))
    dut.aresetn.value = 0
    bench.set([0] * len(NAMES))
    await rising_edges(dut.aclk, 2)
    dut.aresetn.value = 1
    bench.sums = [0] * len(NAMES)
    for _ in range(7):
        await bench.clock(some(1.0))
    await bench.clock([0] * len(NAMES))
    seen, _ = await bench.snapshot()
    assert seen == bench.sums
