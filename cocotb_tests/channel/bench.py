# SPDX-License-Identifier: Apache-2.0
"""Bench of a channel emulator: units in, units out, clock by clock."""

import random

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from cocotb_tests.lib.edges import rising_edges, start_clock
from cocotb_tests.lib.regs import Registers, master, regs

DEPTH = 1024
LEAST_DELAY = 4
ONE = 0xFFFFFFFF


def probability(p):
    return min(round(p * 2**32), ONE)


class ChannelBench:
    """`sent`: units accepted, as (clock of each beat, bytes). `beats`: what came out, as (clock, data, last, erased). `erase`: of each
    unit, whether the input of that name is high in its first beat; in other beats it is then at random."""

    def __init__(self, dut):
        self.dut = dut
        self.width = len(dut.s_axis_phy_tdata) // 8
        self.clock = 0
        self.queue, self.sent, self.beats, self.erase = [], [], [], []

    async def start(self, observe=True):
        random.seed(cocotb.RANDOM_SEED)
        dut = self.dut
        start_clock(dut.aclk, 10, dut.aresetn)
        for port in ("tvalid", "tdata", "tlast", "tuser"):
            getattr(dut, f"s_axis_phy_{port}").value = 0
        dut.m_axis_phy_tready.value = 1
        dut.erase.value = 0
        self.r = Registers(master(dut), regs.ARQCHAN)
        await rising_edges(dut.aclk, 5)
        dut.aresetn.value = 1
        await rising_edges(dut.aclk, 20)
        if observe:
            cocotb.start_soon(self._input())
            cocotb.start_soon(self._output())
        return self.r

    def unit(self, beats, control=False):
        data = bytearray(random.randbytes(beats * self.width))
        data[0] = data[0] & 0xCF | (0x10 if control else 0)
        return bytes(data)

    async def _input(self):
        dut, width = self.dut, self.width
        while True:
            if not self.queue:
                await RisingEdge(dut.aclk)
                continue
            unit, idle = self.queue[0]
            times = []
            for i in range(0, len(unit), width):
                while random.random() < idle:
                    await RisingEdge(dut.aclk)
                dut.s_axis_phy_tvalid.value = 1
                dut.s_axis_phy_tdata.value = int.from_bytes(unit[i : i + width], "little")
                dut.s_axis_phy_tlast.value = int(i + width == len(unit))
                if self.erase:
                    dut.erase.value = random.getrandbits(1) if i else int(self.erase[len(self.sent)])
                while True:
                    await FallingEdge(dut.aclk)
                    ready = int(dut.s_axis_phy_tready.value)
                    times.append(self.clock)
                    await RisingEdge(dut.aclk)
                    if ready:
                        break
                    times.pop()
                dut.s_axis_phy_tvalid.value = 0
            self.sent.append((times, unit))
            self.queue.pop(0)

    async def _output(self):
        dut = self.dut
        while True:
            await FallingEdge(dut.aclk)
            if int(dut.m_axis_phy_tvalid.value):
                self.beats.append(
                    (
                        self.clock,
                        int(dut.m_axis_phy_tdata.value).to_bytes(self.width, "little"),
                        int(dut.m_axis_phy_tlast.value),
                        int(dut.m_axis_phy_tuser.value),
                    )
                )
            await RisingEdge(dut.aclk)
            self.clock += 1

    async def drain(self, clocks):
        while self.queue:
            await rising_edges(self.dut.aclk, 10)
        await rising_edges(self.dut.aclk, clocks)

    def received(self):
        """Units that came out: (clocks, bytes, erased)."""
        units, times, data, erased = [], [], b"", 0
        for clock, content, last, flag in self.beats:
            times.append(clock)
            data += content
            erased |= flag
            if last:
                units.append((times, data, erased))
                times, data, erased = [], b"", 0
        assert not data, "a unit without its end"
        return units
