# SPDX-License-Identifier: Apache-2.0
"""The ULX3S board as its bitstream makes it, but for a faster UART and a PLL that does not multiply: it tests itself with no modem attached."""

import cocotb

from cocotb_tests.lib.edges import rising_edges
from cocotb_tests.soc.bench import Terminal
from cocotb_tests.soc.tb_pair import check_self_test, link_up
from cocotb_tests.soc.tb_shell import PROMPT

START_CLOCKS = 1 << 16
"""From the button's release until the system leaves reset."""


def out_of_reset(dut):
    return int(dut.led.value) & 1


@cocotb.test()
async def self_test_without_a_modem(dut):
    terminal = Terminal(dut, clock="clk_25mhz", resetn="btn_pwr", rx="ftdi_txd", tx="ftdi_rxd")
    await terminal.reset()
    await rising_edges(dut.clk_25mhz, START_CLOCKS - 100)
    assert not out_of_reset(dut) and int(dut.wifi_gpio0.value) == 1
    await rising_edges(dut.clk_25mhz, 200)
    assert out_of_reset(dut)
    await terminal.expect(b"arqlink boot\r\n")
    assert (await terminal.expect(PROMPT, 4000000)).endswith(b"arqlink firmware\r\n")
    await link_up(terminal)
    await check_self_test(terminal, 4000000)
    dut.btn_pwr.value = 0
    await rising_edges(dut.clk_25mhz, 20)
    assert not out_of_reset(dut)
    await terminal.reset()
    await terminal.expect(b"arqlink boot\r\n", START_CLOCKS + 60000)
