# SPDX-License-Identifier: Apache-2.0
"""What the block benches share: clock and reset, stream drivers, event counts."""

import random
from collections import Counter, deque

import cocotb
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamSink, AxiStreamSource

from cocotb_tests.lib.edges import rising_edges, start_clock
from cocotb_tests.lib.signals import optional, reader


def pause(rate):
    """Pause generator for cocotbext-axi: pauses in all but the share `rate` of the clocks."""
    while True:
        yield random.random() >= rate


class Source:
    """Drives a stream, or a flow, whose payload is the signals `fields`; items are tuples in the same order."""

    def __init__(self, bench, prefix, fields, rate=1.0):
        dut = bench.dut
        self.valid = getattr(dut, f"{prefix}valid")
        self.ready = optional(dut, f"{prefix}ready", 1)
        self.fields = [getattr(dut, f) for f in fields]
        self.rate = rate
        self.queue = deque()
        self.offered = False
        self.accepted = 0
        self.clear()
        bench.actors.append(self)

    def clear(self):
        self.queue.clear()
        self.offered = False
        self.valid.value = 0
        for field in self.fields:
            field.value = 0

    def step(self):
        if self.offered:
            if not self.ready():
                return
            self.offered = False
            self.accepted += 1
            self.queue.popleft()
            if not (self.queue and (self.rate >= 1 or random.random() < self.rate)):
                self.valid.value = 0
                return
        elif not (self.queue and (self.rate >= 1 or random.random() < self.rate)):
            return
        self.offered = True
        self.valid.value = 1
        for field, value in zip(self.fields, self.queue[0]):
            field.value = value

    @property
    def idle(self):
        return not self.queue


class Sink:
    """Takes from a stream, or from a flow, which is always ready; `items` holds (clock, values...), or `log` is called with them."""

    def __init__(self, bench, prefix, fields, rate=1.0, log=None):
        dut = bench.dut
        self.bench = bench
        self.valid = reader(getattr(dut, f"{prefix}valid"))
        self.ready = getattr(dut, f"{prefix}ready", None)
        self.fields = [reader(getattr(dut, f)) for f in fields]
        self.rate = rate
        self.items = []
        self.log = log or self.items.append
        self.clear()
        self.strict = True  # what has been offered has to stay until it is accepted
        bench.actors.append(self)

    def clear(self):
        self.open = self.ready is None
        if self.ready is not None:
            self.ready.value = 0
        self.stalled = None

    def step(self):
        if self.valid():
            values = tuple(read() for read in self.fields)
            assert not self.strict or self.stalled in (None, values), "payload changed before ready"
            if self.open:
                self.log((self.bench.clock, *values))
                self.stalled = None
            else:
                self.stalled = values
        else:
            assert not self.strict or self.stalled is None, "valid dropped before ready"
        wanted = self.ready is None or self.rate >= 1 or random.random() < self.rate
        if self.ready is not None and wanted != self.open:
            self.open = wanted
            self.ready.value = int(wanted)


class Events:
    """Adds up event outputs clock by clock."""

    def __init__(self, bench, names):
        self.signals = [(name, reader(getattr(bench.dut, name))) for name in names]
        self.count = Counter()
        bench.actors.append(self)

    def clear(self):
        pass

    def step(self):
        for name, read in self.signals:
            if value := read():
                self.count[name] += value


def axis_source(dut, prefix):
    """The driver of AXI-Stream port `prefix`."""
    return AxiStreamSource(AxiStreamBus.from_prefix(dut, prefix), dut.aclk, dut.aresetn, reset_active_level=False)


class Bench:
    """Clock, reset, and the actors that move once a clock."""

    def __init__(self, dut):
        random.seed(cocotb.RANDOM_SEED)
        self.dut = dut
        self.actors = []
        self.clock = 0
        self.resetting = False
        start_clock(dut.aclk, 10, dut.aresetn)

    def axis_source(self, prefix):
        return axis_source(self.dut, prefix)

    def axis_sink(self, prefix):
        bus = AxiStreamBus.from_prefix(self.dut, prefix)
        return AxiStreamSink(bus, self.dut.aclk, self.dut.aresetn, reset_active_level=False)

    async def start(self):
        await self.reset()
        cocotb.start_soon(self._run())
        return self

    async def reset(self, clocks=3):
        """Holds reset; the actors forget what they were about to send."""
        self.resetting = True
        self.dut.aresetn.value = 0
        for actor in self.actors:
            actor.clear()
        await self.clocks(clocks)
        self.dut.aresetn.value = 1
        await RisingEdge(self.dut.aclk)
        self.resetting = False

    async def _run(self):
        edge = RisingEdge(self.dut.aclk)
        while True:
            await edge
            self.clock += 1
            if not self.resetting:
                for actor in self.actors:
                    actor.step()

    async def clocks(self, count):
        await rising_edges(self.dut.aclk, count)

    async def until(self, condition, limit, what):
        """Waits until `condition()` holds, at most `limit` clocks."""
        edge = RisingEdge(self.dut.aclk)
        for _ in range(limit):
            if condition():
                return
            await edge
        raise AssertionError(f"not within {limit} clocks: {what}")


def beats(data, width):
    """The bytes as integers of `width` bytes, byte 0 in the low bits; the last one filled with zeros."""
    return [int.from_bytes(data[i : i + width], "little") for i in range(0, len(data), width)]
