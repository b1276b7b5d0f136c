# SPDX-License-Identifier: Apache-2.0
"""Countdown: high exactly `interval` + 2 clocks with `run` after the last reload, in each clock."""

import random
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from cocotb_tests.lib.bench import Bench
from cocotb_tests.lib.sweep import sweep

LATENCY = 2
HALF = 1 << 16
"""What one half of the counter holds."""


class Timer:
    """Drives the block, and counts along."""

    def __init__(self, dut):
        self.bench, self.dut = Bench(dut), dut
        self.edge = RisingEdge(dut.aclk)
        self.left: Any = None  # clocks with `run` until it expires; unknown until the first reload
        self.inputs = {}
        self.set(interval=0, reload=0, run=0)

    def set(self, **inputs):
        for name, value in inputs.items():
            getattr(self.dut, f"io_{name}").value = value
        self.inputs |= inputs

    async def clocks(self, count):
        """Looks at `expired` in each clock."""
        for _ in range(count):
            await self.edge
            expired = int(self.dut.io_expired.value)
            assert self.left is None or expired == (self.left == 0), f"expired = {expired}, {self.left} clocks before its end"
            if self.inputs["reload"]:
                self.left = self.inputs["interval"] + LATENCY
            elif self.inputs["run"] and self.left:
                self.left -= 1

    async def pass_by(self, count):
        """Runs, and does not look."""
        assert self.left > count and self.inputs["run"] and not self.inputs["reload"]
        await self.bench.clocks(count)
        self.left -= count

    async def load(self, interval, run=1):
        """One clock with `reload`; afterwards the interval counts no more."""
        self.set(interval=interval, reload=1)
        await self.clocks(1)
        self.set(interval=random.getrandbits(32), reload=0, run=run)

    async def to_the_end(self, watched=12):
        if self.left > 2 * watched:
            await self.clocks(watched)
            await self.pass_by(self.left - watched)
        await self.clocks(self.left + 5)


async def start(dut):
    timer = Timer(dut)
    await timer.bench.reset()
    return timer


@cocotb.test()
@cocotb.parametrize(interval=[0, 1, 2, 3, 100, HALF - 2, HALF - 1])
async def each_clock(dut, interval):
    """Looked at in each clock from the reload on."""
    timer = await start(dut)
    await timer.load(interval)
    await timer.clocks(interval + LATENCY + 8)


@cocotb.test()
@cocotb.parametrize(interval=[HALF, HALF + 1, HALF + 2, 2 * HALF - 1, 2 * HALF, 2 * HALF + 1])
async def both_halves(dut, interval):
    """Intervals of both halves, looked at in each clock of their beginning and of their end."""
    timer = await start(dut)
    await timer.load(interval)
    await timer.to_the_end()


@cocotb.test()
async def random_intervals(dut):
    timer = await start(dut)
    for bits in (4, 8, 12, 16, 17, 18):
        await timer.load(random.getrandbits(bits))
        await timer.to_the_end()


@cocotb.test()
async def the_longest_does_not_end(dut):
    """2^32 - 1 clocks: its upper half is all ones, and not the sign of a timer that has ended."""
    timer = await start(dut)
    for interval in ((1 << 32) - 1, 1 << 31):
        await timer.load(interval)
        await timer.clocks(50)
        await timer.pass_by(2 * HALF)
        await timer.clocks(50)


@cocotb.test()
async def reload_in_any_clock(dut):
    """Another interval is loaded in each clock of one that runs and has ended; `run` does not count in that clock."""
    timer = await start(dut)

    async def case(clock):
        for first, second, run in ((5, 3, 1), (3, 7, 1), (5, 0, 0), (HALF, 4, 1)):
            await timer.load(first)
            await timer.clocks(clock)
            await timer.load(second, run)
            await timer.clocks(4)
            timer.set(run=1)
            await timer.to_the_end()

    await sweep(range(14), case)


@cocotb.test()
async def held_in_any_clock(dut):
    """`run` is low for one clock, or for several, in each clock around a half's end and the timer's."""
    timer = await start(dut)

    async def case(clock):
        for interval in (0, 1, 6, HALF + 1, HALF + 3):
            for held in (1, 3):
                await timer.load(interval)
                await timer.clocks(clock)
                timer.set(run=0)
                await timer.clocks(held)
                timer.set(run=1)
                await timer.to_the_end()

    await sweep(range(12), case)


@cocotb.test()
async def held_while_it_is_loaded(dut):
    """A timer that is loaded in each clock, or does not run, does not end."""
    timer = await start(dut)
    timer.set(interval=0, reload=1, run=1)
    await timer.clocks(20)
    timer.set(reload=0, run=0)
    await timer.clocks(20)
    timer.set(run=1)
    await timer.clocks(8)


@cocotb.test()
async def random_inputs(dut):
    """Reloads and pauses at random."""
    timer = await start(dut)
    await timer.load(3)
    for _ in range(3000):
        timer.set(interval=random.choice((0, 1, 2, 5, random.getrandbits(32))), reload=int(random.random() < 0.08), run=int(random.random() < 0.7))
        await timer.clocks(1)
