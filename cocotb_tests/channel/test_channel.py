# SPDX-License-Identifier: Apache-2.0
import subprocess

import pytest

from cocotb_tests.lib import rtl

WIDTHS = [("", "paper"), ("", "default"), ("8", "default")]


@pytest.mark.parametrize("width, config", WIDTHS)
def test_emulator(width, config):
    rtl.run(f"ChannelEmulator{width}", config, "cocotb_tests.channel.tb_emulator")


def test_statistics():
    rtl.run("ChannelEmulator", "default", "cocotb_tests.channel.tb_statistics")


@pytest.mark.parametrize("width, config", WIDTHS)
def test_traffic(width, config):
    rtl.run(f"TrafficPort{width}", config, "cocotb_tests.channel.tb_traffic")


@pytest.mark.parametrize("block", ["ChannelEmulator", "TrafficPort"])
@pytest.mark.parametrize("width", [2, 8])
def test_other_widths_build(block, width):
    """These widths have no test bench of their own run; Verilator accepts them without a warning on widths."""
    rtl.use_verilator()
    source = rtl.generate(f"{block}{width}", "default")
    subprocess.run(["verilator", "--lint-only", "-Wall", "-Wno-UNUSEDSIGNAL", "-Wno-DECLFILENAME", str(source)], check=True)
