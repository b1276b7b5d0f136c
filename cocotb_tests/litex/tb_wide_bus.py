# SPDX-License-Identifier: Apache-2.0
"""Registers of a link end behind a LiteX bus of 64 bits (wide_bus.py), as a CPU of 32 bits accesses them."""

import os

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster

from cocotb_tests.lib.edges import rising_edges
from cocotb_tests.lib.regs import LinkRegisters, regs

BASE = int(os.environ["ARQLINK_BASE"])


class Wishbone(LinkRegisters):
    """Registers over Wishbone; a write of a byte has one of `sel`."""

    def __init__(self, dut):
        super().__init__(None, BASE)
        self.dut = dut
        for name in ("cyc", "stb", "cti", "bte"):
            getattr(dut, f"bus_{name}").value = 0

    async def access(self, address, select, value=None):
        """The word read, and whether it was acknowledged; after a write the word is of no meaning."""
        for name, level in (("adr", address // 4), ("sel", select), ("we", int(value is not None)), ("dat_w", value or 0), ("cyc", 1), ("stb", 1)):
            getattr(self.dut, f"bus_{name}").value = level
        while True:
            await RisingEdge(self.dut.sys_clk)
            if self.dut.bus_ack.value or self.dut.bus_err.value:
                break
        answer = int(self.dut.bus_dat_r.value), not self.dut.bus_err.value
        self.dut.bus_cyc.value = self.dut.bus_stb.value = 0
        await RisingEdge(self.dut.sys_clk)
        return answer

    async def read_at(self, offset):
        return await self.access(self.base + offset, 0xF)

    async def write_at(self, offset, value, size=4):
        lane = offset % 4
        return (await self.access(self.base + offset, (1 << size) - 1 << lane, value << 8 * lane))[1]


def axi_lite(dut):
    return LinkRegisters(AxiLiteMaster(AxiLiteBus.from_prefix(dut, "bus"), dut.sys_clk, dut.sys_rst), BASE)


async def start(dut) -> LinkRegisters:
    dut.sim_trace.value = 0
    dut.sys_rst.value = 1
    cocotb.start_soon(Clock(dut.sys_clk, 10, unit="ns").start())
    registers = Wishbone(dut) if hasattr(dut, "bus_cyc") else axi_lite(dut)
    await rising_edges(dut.sys_clk, 2)
    dut.sys_rst.value = 0
    await rising_edges(dut.sys_clk, 300)  # the link's reset, and its first snapshot
    return registers


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def every_register(dut):
    """Each register and counter reads without an error, also where no register is beside it, and each that can be written takes a value alone."""
    r = await start(dut)
    for name, register in regs.ARQLINK.items():
        value, okay = await r.read_at(register.offset)
        assert okay, name
        for field, f in register.fields.items():
            if f.reset is not None:
                assert value >> f.shift & (1 << f.width) - 1 == f.reset or name in ("ERROR", "STATUS"), (name, field)
    assert await r.read("CODE") == await r.read("ACTIVE_CODE") != 0
    for name, counter in regs.COUNTERS.items():
        assert (await r.read_at(counter.offset))[1], name
        assert await r.read_at(counter.offset + 4) == (0, True), name
    expected = {}
    for name, register in regs.ARQLINK.items():
        mask = sum((1 << f.width) - 1 << f.shift for f in register.fields.values() if f.access == "RW")
        if mask and name != "CTRL":
            expected[name] = 0x5A3C0F69 & mask
            await r.write(name, 0x5A3C0F69)
    assert {name: await r.read(name) for name in expected} == expected
    assert await r.read("ERROR", "access") == 0


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def link_that_hears_itself(dut):
    """It comes up; a snapshot is taken; errors are seen and cleared, a byte at a time as well; an access to nothing is refused."""
    r = await start(dut)
    await r.write("HELLO_INTERVAL", 500)
    while await r.state() != 3:
        pass
    counters = await r.counters()
    assert counters["link_restarts"] == 1 and counters["tx_control_units"] > 0
    up = 1 << regs.ARQLINK["ERROR"].fields["link_up"].shift
    await r.write("IRQ_ENABLE", up)
    assert await r.read("ERROR") == up
    assert await r.write_at(regs.ARQLINK["ERROR"].offset + 1, 0xFF, size=1)
    assert await r.read("ERROR") == 0
    assert await r.read("IRQ_ENABLE") == up
    assert not (await r.read_at(0x100))[1]
    assert await r.read("ERROR", "access") == 1
