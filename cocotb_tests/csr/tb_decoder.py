# SPDX-License-Identifier: Apache-2.0
"""AXI4-Lite decoder with three memories behind it."""

import itertools
import random

import cocotb
from cocotbext.axi import AxiLiteBus, AxiLiteRam

from cocotb_tests.lib.edges import rising_edges, start_clock
from cocotb_tests.lib.regs import Registers, master


@cocotb.test()
@cocotb.parametrize(paused=[False, True])
async def routes(dut, paused):
    random.seed(cocotb.RANDOM_SEED)
    start_clock(dut.aclk, 10, dut.aresetn)
    axi = master(dut)
    slaves = [AxiLiteRam(AxiLiteBus.from_prefix(dut, f"m{i}_axil"), dut.aclk, dut.aresetn, reset_active_level=False, size=4096) for i in range(3)]
    await rising_edges(dut.aclk, 5)
    dut.aresetn.value = 1

    def pause():
        return (random.random() < 0.5 for _ in itertools.count())

    if paused:
        for port in (axi, *slaves):
            assert port.read_if and port.write_if
            for channel in (port.read_if.ar_channel, port.read_if.r_channel):
                channel.set_pause_generator(pause())
            for channel in (port.write_if.aw_channel, port.write_if.w_channel, port.write_if.b_channel):
                channel.set_pause_generator(pause())
    r = Registers(axi, {})
    content = {}

    async def worker(low):
        """Own addresses per worker, so that order between them does not matter."""
        for _ in range(60):
            slave, address = random.randrange(16), low + 16 * random.randrange(256)
            value = random.getrandbits(32)
            assert await r.write_at(slave << 12 | address, value) == (slave < 3)
            if slave < 3:
                content[slave, address] = value
            slave, address = random.choice(list(content)) if random.random() < 0.5 and content else (slave, address)
            if address % 16 == low:
                assert await r.read_at(slave << 12 | address) == (content.get((slave, address), 0), slave < 3)

    tasks = [cocotb.start_soon(worker(low)) for low in (0, 4, 8)]
    for task in tasks:
        await task
    for (slave, address), value in content.items():
        assert slaves[slave].read_dword(address) == value
