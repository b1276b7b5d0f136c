# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the soft system: CPU, boot loader and devices around one link end, around the pair, and on a board."""

from pathlib import Path

import pytest

from arqlink.fpga.targets import ULX3S
from arqlink.rtl import soc
from cocotb_tests.lib import rtl
from cocotb_tests.soc.bench import SETTINGS

BENCHES = [("ArqSoc", "hello", "tb_boot"), ("ArqSoc", "hello", "tb_shell"), ("ArqPairSoc", "firmware", "tb_window"), ("ArqPairSoc", "firmware", "tb_pair")]
"""What the benches need beside the program that is built in they download, as a user would: tb_shell the firmware."""
TRAFFIC = ["loss_follows_the_setting", "tuner_follows_the_channel"]
"""All is left to `make test-full`: tests/board boots the firmware, downloads another program and runs it on the pair too."""


def run(block, program, bench, testcase=None, config="small", settings=SETTINGS, models=()):
    sources = soc.generate(block, config, program, settings)
    rtl.run(block, config, f"cocotb_tests.soc.{bench}", testcase, {"PROGRAM": program}, sources=[*sources, *models])


@pytest.mark.full
@pytest.mark.parametrize(("block", "program", "bench"), BENCHES, ids=[bench for *_, bench in BENCHES])
def test_soc(block, program, bench):
    run(block, program, bench)


@pytest.mark.full
@pytest.mark.parametrize("testcase", TRAFFIC)
def test_traffic(testcase):
    run("ArqPairSoc", "firmware", "tb_traffic", testcase)


@pytest.mark.full
def test_board():
    """What `make synth TARGETS=ulx3s` makes a bitstream of."""
    shown = [setting for setting in ULX3S.settings if not setting.startswith("uartDivider=")]
    assert ULX3S.board
    run(ULX3S.block, ULX3S.board.program, "tb_board", None, ULX3S.config, (*shown, *SETTINGS), [Path(__file__).with_name("ehxplll.v")])
