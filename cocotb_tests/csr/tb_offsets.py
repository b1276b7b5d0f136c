# SPDX-License-Identifier: Apache-2.0
"""Every word of a slave's 4 KiB, as a master of 32 bits, and a converter from 64 bits, access it."""

import cocotb
from cocotb.triggers import FallingEdge

from cocotb_tests.lib.edges import rising_edges, start_clock
from cocotb_tests.lib.regs import Registers, master, regs

MAPS = {"CsrBank": regs.ARQLINK, "CsrBankMost": regs.ARQLINK, "ChannelEmulator": regs.ARQCHAN, "TrafficPort": regs.ARQTRAF}
COUNTERS = {"CsrBank": len(regs.COUNTERS), "CsrBankMost": 124}
FIRST_COUNTER = min(counter.offset for counter in regs.COUNTERS.values())
ALL = range(0, 0x1000, 4)


class Slave(Registers):
    """A block's registers after its reset, with nothing on all other ports."""

    def __init__(self, dut):
        start_clock(dut.aclk, 10, dut.aresetn)
        for signal in dut:
            if signal._name.startswith(("io_events_", "io_status_", "io_errors_")) or signal._name.endswith(("axis_tvalid", "phy_tvalid", "link_tvalid")):
                signal.value = 0
        super().__init__(master(dut), MAPS[dut._name])
        self.registers = {register.offset for register in self.map.values()}
        counters = {FIRST_COUNTER + 4 * i for i in range(2 * COUNTERS.get(dut._name, 0))}
        self.holes = {offset ^ 4 for offset in self.registers} - self.registers
        self.readable = self.registers | self.holes | counters
        self.writable = {r.offset for r in self.map.values() if any(f.access != "RO" for f in r.fields.values())}

    async def start(self, dut):
        await rising_edges(dut.aclk, 5)
        dut.aresetn.value = 1
        await rising_edges(dut.aclk, 300)  # the first snapshot has been taken
        return self

    async def words(self):
        """What can be read; without ERROR, which tells of what was refused."""
        return {offset: await self.read_at(offset) for offset in sorted(self.readable) if self.map is not regs.ARQLINK or offset != self.map["ERROR"].offset}

    async def refused(self):
        """Whether an access has been refused since this was asked; none for slaves that do not tell."""
        if self.map is not regs.ARQLINK:
            return None
        seen = await self.read("ERROR", "access")
        await self.write("ERROR", 1)
        return bool(seen)

    async def write_without_strobes(self, offset):
        write = self.master.write_if
        kept, write.strb_mask = write.strb_mask, 0
        okay = await self.write_at(offset, 0xFFFFFFFF)
        write.strb_mask = kept
        return okay


@cocotb.test()
async def reads(dut):
    """Answered for registers, counters and holes, which read as 0, and for nothing else."""
    slave = await Slave(dut).start(dut)
    for offset in ALL:
        value, okay = await slave.read_at(offset)
        assert okay == (offset in slave.readable), hex(offset)
        if offset not in slave.registers:
            assert value == 0, hex(offset)
        assert await slave.refused() in (not okay, None), hex(offset)


@cocotb.test()
async def writes_without_strobes(dut):
    """Answered wherever a read is; they change nothing, and no timer counts as written."""
    slave = await Slave(dut).start(dut)
    before, events = await slave.words(), 0

    async def watch():
        nonlocal events
        while True:
            await FallingEdge(dut.aclk)
            events += int(dut.io_setting_timers_written.value)

    if hasattr(dut, "io_setting_timers_written"):
        cocotb.start_soon(watch())
    for offset in ALL:
        okay = await slave.write_without_strobes(offset)
        assert okay == (offset in slave.readable), hex(offset)
        assert await slave.refused() in (not okay, None), hex(offset)
    assert await slave.words() == before
    assert events == 0


@cocotb.test()
async def writes(dut):
    """With strobes they are refused wherever there is nothing to write, holes as well, and change nothing then."""
    slave = await Slave(dut).start(dut)
    before = await slave.words()
    for offset in set(ALL) - slave.writable:
        assert not await slave.write_at(offset, 0xFFFFFFFF), hex(offset)
        assert await slave.refused() in (True, None), hex(offset)
    assert await slave.words() == before
