# SPDX-License-Identifier: Apache-2.0
"""Two ends and all that is around them, with generated packets, of whose units a channel erases some."""

import cocotb

from cocotb_tests.four_state.known import quiet, read_all, start_watching
from cocotb_tests.lib.edges import rising_edges, start_clock
from cocotb_tests.lib.regs import LinkRegisters, Registers, master, regs

LINKS, CHANNELS, TRAFFIC = (0x0000, 0x1000), (0x2000, 0x3000), (0x4000, 0x5000)
MAPS = dict.fromkeys(LINKS, regs.ARQLINK) | dict.fromkeys(CHANNELS, regs.ARQCHAN) | dict.fromkeys(TRAFFIC, regs.ARQTRAF)
COUNT = 20


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def outputs_and_registers_have_values(dut):
    """As of a link end (tb_link): the registers of links, channels, generators and checkers, and the taps as well."""
    quiet(dut)
    start_clock(dut.aclk, 10, dut.aresetn)
    axi = master(dut)
    await rising_edges(dut.aclk, 4)
    start_watching(dut, dut.aclk)
    await rising_edges(dut.aclk, 4)
    dut.aresetn.value = 1
    await read_all(axi, MAPS)
    for base in CHANNELS:
        channel = Registers(axi, regs.ARQCHAN, base)
        await channel.write("DELAY", 20)
        await channel.write("P_GOOD", int(0.1 * 2**32))
        await channel.write("MODE", 3)
        await channel.write("CTRL", enable=1)
    for base in LINKS:
        link = LinkRegisters(axi, base)
        await link.write("HELLO_INTERVAL", 500)
        await link.write("POLL_TIMEOUT", 5000)
        await link.write("CTRL", enable=1, restart=1)
    ends = [Registers(axi, regs.ARQTRAF, base) for base in TRAFFIC]
    for end in ends:
        await end.write("LENGTH_MAX", 100)
        await end.write("COUNT", COUNT)
        await end.write("CTRL", generate=1, check=1, random_length=1)
    for end in ends:
        while await end.read("RECEIVED") < COUNT:
            await rising_edges(dut.aclk, 200)
        assert [await end.read(name) for name in ("LOST", "CORRUPT", "ABORTED")] == [0, 0, 0]
    await read_all(axi, MAPS)
    for base in LINKS:
        assert (await LinkRegisters(axi, base).counters())["rx_packets"] == COUNT
