# SPDX-License-Identifier: Apache-2.0
"""ConsistencyWatch, against a model of "Two strikes" in docs/architecture.md, "Contradictions". What is judged in the clock of a tick is of the period
that begins."""

import random

import cocotb
from cocotb.triggers import RisingEdge

from cocotb_tests.lib.bench import Bench
from cocotb_tests.lib.sweep import sweep

PARTS = ("feedback", "edge", "base")
JUDGED = [f"{part}_{verdict}" for part in PARTS for verdict in ("accepted", "rejected")]
INPUTS = ["running", "tick", "contradiction", *JUDGED]
KNOWN_WITHIN = 1
"""Clocks until `suspicious` knows of what was accepted."""


class Part:
    """One of the three that are judged: what came since the last tick, and whether there is a strike."""

    def __init__(self):
        self.accepted = self.rejected = self.strike = False
        self.forgiven = 0  # clocks since something was accepted

    @property
    def is_bad(self):
        return self.rejected and not self.accepted

    def clock(self, tick, accepted, rejected, running):
        """Whether this is the second strike."""
        failed = tick and self.is_bad and self.strike
        if tick:
            self.strike |= self.is_bad
            self.accepted = self.rejected = False
        self.accepted |= accepted
        self.rejected |= rejected
        self.forgiven = 0 if accepted else self.forgiven + 1
        if accepted:
            self.strike = False
        if not running:
            self.rejected = self.strike = False
        return failed


class Watch:
    """Drives the block a clock at a time, and compares."""

    def __init__(self, dut):
        self.bench, self.dut = Bench(dut), dut
        self.edge = RisingEdge(dut.aclk)
        self.parts = {part: Part() for part in PARTS}
        self.due = False  # in the next clock
        self.resyncs = 0
        self.inputs = dict.fromkeys(INPUTS, 0)
        for name in INPUTS:
            getattr(dut, f"io_{name}").value = 0

    async def clock(self, *names, running=1):
        """One clock in which the inputs of these names are high."""
        inputs = {name: int(name in names) for name in INPUTS} | {"running": running}
        for name, value in inputs.items():
            if value != self.inputs[name]:
                getattr(self.dut, f"io_{name}").value = value
        self.inputs = inputs
        await self.edge
        resync = bool(self.dut.io_resync.value)
        assert resync == self.due, f"resync = {resync}"
        self.resyncs += resync
        parts = self.parts.values()
        if inputs["tick"] and running and all(part.forgiven >= KNOWN_WITHIN for part in parts):
            wanted = any(part.is_bad or part.strike for part in parts)
            assert bool(self.dut.io_suspicious.value) == wanted, f"suspicious = {not wanted} as the period ends"
        failed = [part.clock(inputs["tick"], inputs[f"{name}_accepted"], inputs[f"{name}_rejected"], running) for name, part in self.parts.items()]
        self.due = bool(running and (inputs["contradiction"] or any(failed)))

    async def clocks(self, count, running=1):
        for _ in range(count):
            await self.clock(running=running)

    async def restart(self):
        """A new life, in which nothing is known of the one before. A period ends meanwhile."""
        await self.clock(running=0)
        await self.clock("tick", running=0)
        await self.clocks(2, running=0)
        self.resyncs = 0
        await self.clocks(3)


async def start(dut):
    watch = Watch(dut)
    await watch.bench.reset()
    await watch.restart()
    return watch


@cocotb.test()
@cocotb.parametrize(part=PARTS)
async def second_strike(dut, part):
    """Two periods of rejected control units restart the link, wherever in the second one the rejected unit comes: a clock after it ends, and once."""
    watch = await start(dut)
    length = 8

    async def case(clock):
        await watch.restart()
        await watch.clock(f"{part}_rejected")
        await watch.clock("tick")
        for c in range(length):
            await watch.clock(*([f"{part}_rejected"] if c == clock else []))
        assert not watch.resyncs
        await watch.clock("tick")
        await watch.clocks(4)
        assert watch.resyncs == 1

    await sweep(range(length), case)


@cocotb.test()
@cocotb.parametrize(part=PARTS)
async def rejected_around_a_tick(dut, part):
    """After a strike one unit is rejected, in each clock around a tick: it is of one period, so there is one restart."""
    watch = await start(dut)

    async def case(clock):
        await watch.restart()
        await watch.clock(f"{part}_rejected")
        await watch.clock("tick")
        for c in range(21):
            await watch.clock(*(["tick"] if c in (10, 20) else []), *([f"{part}_rejected"] if c == clock else []))
        await watch.clocks(3)
        assert watch.resyncs == 1

    await sweep(range(20), case)


@cocotb.test()
@cocotb.parametrize(part=PARTS, other=PARTS)
async def accepted_in_any_clock(dut, part, other):
    """Three bad periods make two restarts. One accepted unit of the same kind spares its period, and takes the strike back; of another kind it does
    nothing."""
    watch = await start(dut)
    accepted, rejected = f"{other}_accepted", f"{part}_rejected"
    length = 8

    async def case(clock):
        await watch.restart()
        for c in range(3 * length + 1):
            tick = ["tick"] if c and c % length == 0 else []
            await watch.clock(*tick, *([rejected] if c % length == 4 else []), *([accepted] if c == clock else []))
        await watch.clocks(3)
        assert watch.resyncs == ([1, 0, 1, 2][clock // length] if part == other else 2)

    await sweep(range(3 * length + 1), case)


@cocotb.test()
async def silence_leaves_the_strike(dut):
    """Periods without any control unit, and then one that is rejected."""
    watch = await start(dut)
    for periods in range(4):
        await watch.restart()
        await watch.clock("edge_rejected")
        for _ in range(periods + 1):
            await watch.clock("tick")
            await watch.clocks(4)
        assert not watch.resyncs
        await watch.clock("edge_rejected")
        await watch.clock("tick")
        await watch.clocks(3)
        assert watch.resyncs == 1


@cocotb.test()
async def each_part_has_its_own_strike(dut):
    """One strike of each of the three is no second one."""
    watch = await start(dut)
    for part in PARTS:
        await watch.clock(f"{part}_rejected")
        await watch.clock("tick")
        await watch.clocks(3)
    assert not watch.resyncs


@cocotb.test()
async def contradiction_in_any_clock(dut):
    """It restarts a link that is up, whatever else happens in that clock, and no other one."""
    watch = await start(dut)

    async def case(clock):
        for running in (True, False):
            await watch.restart()
            for c in range(12):
                names = {4: ["tick"], 6: ["base_rejected"], 7: ["base_accepted"], 9: ["tick", "feedback_accepted"]}.get(c, [])
                await watch.clock(*names, *(["contradiction"] if c == clock else []), running=int(running or c != clock))
            await watch.clocks(3)
            assert watch.resyncs == running

    await sweep(range(12), case)


@cocotb.test()
@cocotb.parametrize(low=[1, 2, 5])
async def restart_in_any_clock(dut, low):
    """The link is not up for `low` clocks: neither what was rejected before nor a strike counts in the new life."""
    watch = await start(dut)
    first, again, end = 3, 11, 30

    async def case(clock):
        for second in (again, end - 1):
            down = range(clock, clock + low)
            if first in down or second in down:
                continue
            await watch.restart()
            for c in range(end + 1):
                names = (["tick"] if c in (8, end) else []) + (["edge_rejected"] if c in (first, second) else [])
                await watch.clock(*names, running=int(c not in down))
            await watch.clocks(3)
            assert not watch.resyncs

    await sweep(range(first + 1, end + 1), case)


@cocotb.test()
@cocotb.parametrize(busy=[0.02, 0.1, 0.4], accepted=[0.1, 0.5])
async def random_units(dut, busy, accepted):
    """Control units, ends of periods and restarts at random."""
    watch = await start(dut)
    down = 0
    for _ in range(3000):
        if not down and random.random() < 0.01:
            down = random.randint(3, 9)
            await watch.clock(running=0)
            await watch.clock("tick", running=0)
        names = ["tick"] if random.random() < 0.1 else []
        if not down:  # what judges is empty then
            for part in PARTS:
                if random.random() < busy:
                    names.append(f"{part}_{'accepted' if random.random() < accepted else 'rejected'}")
        if random.random() < 0.01:
            names.append("contradiction")
        await watch.clock(*names, running=int(not down))
        down = max(down - 1, 0)
    assert watch.resyncs
