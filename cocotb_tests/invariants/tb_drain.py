# SPDX-License-Identifier: Apache-2.0
"""PacketDrain with nothing to do, or with a beat to pass on; nothing is compared, so only an assertion can find fault."""

import cocotb

from cocotb_tests.lib.bench import Bench


async def run(dut, valid):
    dut.flush.value = 0
    dut.s_axis_tvalid.value = 0
    dut.m_axis_tready.value = 1
    bench = Bench(dut)
    await bench.start()
    dut.s_axis_tvalid.value = valid
    await bench.clocks(20)


@cocotb.test()
async def no_beat(dut):
    await run(dut, 0)


@cocotb.test()
async def a_beat(dut):
    await run(dut, 1)
