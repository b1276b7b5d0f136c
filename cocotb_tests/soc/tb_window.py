# SPDX-License-Identifier: Apache-2.0
"""The whole link window of the pair, from the CPU."""

import cocotb

from cocotb_tests.lib.regs import regs
from cocotb_tests.soc.tb_boot import in_hello, lines_are_quiet, link_raises

IDS = {
    0x80000000: regs.ARQLINK,
    0x80001000: regs.ARQLINK,
    0x80002000: regs.ARQCHAN,
    0x80003000: regs.ARQCHAN,
    0x80004000: regs.ARQTRAF,
    0x80005000: regs.ARQTRAF,
}


@cocotb.test()
async def window_and_interrupts(dut):
    """Each slave answers with its ID at its place, and each link end raises its own line."""
    terminal = await in_hello(dut)
    for base, names in IDS.items():
        assert await terminal.ask(b"r%08x" % base) == f"value {names['ID'].fields['id'].reset:08x}", hex(base)
    assert await terminal.ask(b"r80006000") == "fault 00000000"
    await lines_are_quiet(terminal)
    await link_raises(terminal, 0x80000000, 2)
    await link_raises(terminal, 0x80001000, 4)
