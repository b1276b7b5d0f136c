# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the soft system: CPU, boot loader and devices around one link end, around the pair, and on a board."""

from pathlib import Path

import pytest

from arqlink.fpga.targets import ULX3S
from arqlink.rtl import soc
from cocotb_tests.lib import rtl
from cocotb_tests.soc.bench import SETTINGS

BENCHES = [("ArqSoc", "tb_boot"), ("ArqSoc", "tb_shell"), ("ArqPairSoc", "tb_pair"), ("ArqPairSoc", "tb_traffic")]


@pytest.mark.parametrize(("block", "bench"), BENCHES, ids=[bench for _, bench in BENCHES])
def test_soc(block, bench):
    sources = soc.generate(block, "small", "hello", SETTINGS)
    rtl.run(block, "small", f"cocotb_tests.soc.{bench}", sources=sources)


def test_board():
    """What `make synth TARGETS=ulx3s` makes a bitstream of."""
    shown = [setting for setting in ULX3S.settings if not setting.startswith("uartDivider=")]
    assert ULX3S.board
    sources = soc.generate(ULX3S.block, ULX3S.config, ULX3S.board.program, (*shown, *SETTINGS))
    rtl.run(ULX3S.block, ULX3S.config, "cocotb_tests.soc.tb_board", sources=[*sources, Path(__file__).with_name("ehxplll.v")])
