# SPDX-License-Identifier: Apache-2.0
"""One `ArqLink` whose peer says only what a test makes it say, clock by clock: for rules that have a time of their own."""

from collections import deque
from dataclasses import dataclass, replace

import cocotb
from cocotb.triggers import Event, FallingEdge, First, RisingEdge, Timer
from cocotb.utils import get_sim_time

from cocotb_tests.lib.edges import rising_edges, start_clock
from cocotb_tests.lib.limits import built
from cocotb_tests.lib.regs import LinkRegisters, master
from cocotb_tests.model.contradictions import Contradictions
from cocotb_tests.model.sender import INFINITE, Setting
from cocotb_tests.model.units import SN, ControlUnit, DataUnit, Rejected, parse

from .streams import PacketSource, watch_packets, watch_units

BUILD = built()
NEVER = 1 << 24
QUIET = {"POLL_TIMEOUT": NEVER, "HELLO_INTERVAL": NEVER, "KEEPALIVE": NEVER, "OUTAGE_TIMEOUT": 0, "STATUS_INTERVAL": 0}
"""Timers that do nothing while a test runs."""
PERIOD_NS = 10
RESET = 16  # clocks


@dataclass
class Left:
    """A unit that the link end sent; clocks of its first and of its last beat. `unit` is None if its CRC is wrong."""

    begin: int
    end: int
    unit: object


class Scripted:
    """`left` has all units that the end sent, `packets` what its user got, `cut` what it got with `tuser` set. `say` is the peer's voice. What the
    end says is checked for contradictions all the time."""

    def __init__(self, dut, setting=Setting(4, 6, 6, 0, INFINITE), epoch=7, link=0):
        self.dut, self.setting, self.epoch, self.link = dut, setting, epoch, link
        self.left, self.packets, self.cut = [], [], []
        self.registers = LinkRegisters(master(dut))
        self.contradictions = Contradictions.of(BUILD, self.link)
        self.source = PacketSource(dut, "s_axis", 1)
        self.fields = {}  # of control units, where they are not those of an idle peer
        self.queue, self.spoken = deque(), Event()
        self.news = Event()  # a unit or a packet has left
        self.leaving = False  # a unit has begun to leave, and not ended
        self.times, self.resets = QUIET, 0
        self.driving = False
        self.said = 0  # clock of the last beat that the end took from the peer

    @property
    def now(self):
        return int(get_sim_time("ns")) // PERIOD_NS

    async def start(self, **times):
        """Begins; `times` are the values of the timers' registers."""
        dut = self.dut
        dut.m_axis_tready.value = dut.phy_up.value = 1
        for signal in ("tvalid", "tdata", "tlast", "tuser"):
            getattr(dut, f"s_axis_phy_{signal}").value = 0
        start_clock(dut.aclk, PERIOD_NS, dut.aresetn)
        self.times = {**QUIET, **times}
        self._watch()
        cocotb.start_soon(self._drive())
        await self.reset()

    async def reset(self):
        """Reset, then registers, then a restart, so that all timers begin with their new values; it says hello now."""
        dut = self.dut
        dut.aresetn.value = dut.m_axis_phy_tready.value = 0
        self.resets += 1
        self.contradictions = Contradictions.of(BUILD, self.link)
        await rising_edges(dut.aclk, RESET)
        self.resets += 1  # until the reset has come through, what was on its way may still leave
        dut.aresetn.value = 1
        await self.registers.write("CTRL", 0)
        await self.registers.apply(self.setting)
        await self.set(LINK=self.link, **self.times)
        await rising_edges(dut.aclk, 4 * BUILD.window_frames)
        dut.m_axis_phy_tready.value = 1
        await rising_edges(dut.aclk, 50)
        self.left.clear()
        await self.registers.write("CTRL", 1)
        await self.until(lambda: self.left, 8 * BUILD.window_frames + 500, "a hello")

    def _watch(self):
        begun = [0]

        def begins():
            begun[0] = self.now
            self.leaving = True
            self.news.set()

        def found(raw, erased):
            try:
                unit = parse(raw, BUILD.unit_bytes, BUILD.max_k, BUILD.max_parity, link=self.link)
            except Rejected:
                unit = None
            self.left.append(Left(begun[0], self.now, unit))
            self.leaving = False
            self.news.set()
            self.contradictions.has_left(unit)

        def delivered(packet, aborted):
            (self.cut if aborted else self.packets).append(packet)
            self.news.set()

        def life():
            return self.resets

        def came(raw, erased):
            self.contradictions.received(raw, erased)

        width = BUILD.data_bytes
        cocotb.start_soon(watch_units(self.dut, "m_axis_phy", width, found, life, begins))
        cocotb.start_soon(watch_units(self.dut, "s_axis_phy", width, came, life))
        cocotb.start_soon(watch_packets(self.dut, "m_axis", width, delivered, life))

    async def set(self, **registers):
        for name, value in registers.items():
            await self.registers.write(name, value)

    @property
    def own_epoch(self):
        """Epoch of the link end, as in its last unit."""
        return next(u.unit.epoch for u in reversed(self.left) if u.unit)

    async def restart(self):
        """Restarts the link by register; it says hello then."""
        epoch = (self.own_epoch + 1) % 256
        await self.set(CTRL=3)
        limit = 8 * BUILD.window_frames + 500
        await self.until(lambda: any(u.unit and u.unit.epoch == epoch for u in self.left[-3:]), limit, "hello after a restart")

    async def up(self, window_log2=None, **fields):
        """The peer says hello, and then that it is up. The end's answers to that, its first poll among them, are in `left` then."""
        await self.say(self.hello(window_log2))
        await self.until(self.is_up, 500, "a unit without hello")
        await self.say(self.control(**fields))
        await rising_edges(self.dut.aclk, 100)

    def is_up(self):
        return any(isinstance(u.unit, ControlUnit) and not u.unit.hello and u.unit.epoch == self.own_epoch for u in self.left)

    # -- what the peer says

    def control(self, **fields):
        """A control unit of the peer; `fields` over those of `self.fields`."""
        unit = ControlUnit(epoch=self.epoch, peer_known=True, peer_epoch=self.own_epoch, link=self.link)
        return replace(unit, **{**self.fields, **fields})

    def hello(self, window_log2=None, options=0, **fields):
        """A hello of a peer with this build's units, and its window unless another is given; `options`: bits 7:5 of byte 4."""
        log2 = window_log2 or BUILD.window_frames.bit_length() - 1
        return self.control(hello=True, param=options << 21 | log2 << 16 | BUILD.unit_bytes, **fields)

    def frame(self, fsn, tsn, k=1, n=1, sop=True, eop=True, pad=0, units=None, **fields):
        """Data units of one transmission of the peer; `units`: which of them."""
        header = DataUnit(0, sop, eop, self.epoch, k, n, 0, pad, fsn % SN, tsn % SN, bytes(BUILD.unit_bytes), link=self.link)
        return [replace(header, index=i, **fields) for i in (range(n) if units is None else units)]

    def begin_to_say(self, raws):
        """Sends units, as bytes, without a gap; returns at once."""
        self.queue.extend(raws)
        self.spoken.set()

    async def say(self, *units):
        """Sends units without a gap; returns the clock of the last beat."""
        self.begin_to_say(u.build() for u in units)
        while self.queue or self.driving:
            await FallingEdge(self.dut.aclk)
        await RisingEdge(self.dut.aclk)
        return self.said

    async def _drive(self):
        dut, width = self.dut, BUILD.data_bytes
        rising = RisingEdge(dut.aclk)
        valid, data, last = (getattr(dut, f"s_axis_phy_{s}") for s in ("tvalid", "tdata", "tlast"))
        while True:
            if not self.queue:
                valid.value = 0
                self.spoken.clear()
                await self.spoken.wait()
                await rising
            self.driving, raw = True, self.queue.popleft()
            for at in range(0, len(raw), width):
                valid.value, last.value = 1, int(at + width >= len(raw))
                data.value = int.from_bytes(raw[at : at + width], "little")
                await FallingEdge(dut.aclk)
                self.said = self.now
                await rising
            self.driving = False

    # -- what the end does

    async def until(self, condition, limit, what):
        """Waits for a condition on what has left, which is looked at when something new has; ends at a rising edge."""
        end = self.now + limit
        while not condition():
            if self.now >= end:
                raise AssertionError(f"within {limit} clocks: no {what}")
            self.news.clear()
            await First(self.news.wait(), Timer((end - self.now) * PERIOD_NS, "ns"))
            await RisingEdge(self.dut.aclk)

    async def clocks(self, count):
        await rising_edges(self.dut.aclk, count)

    def controls(self, since=0):
        """Control units that began to leave after clock `since`."""
        return [u for u in self.left if isinstance(u.unit, ControlUnit) and u.begin > since]

    def data(self, since=0):
        """Data units that began to leave after clock `since`."""
        return [u for u in self.left if isinstance(u.unit, DataUnit) and u.begin > since]

    async def status(self, field):
        return await self.registers.read("STATUS", field)
