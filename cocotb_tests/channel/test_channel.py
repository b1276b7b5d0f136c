# SPDX-License-Identifier: Apache-2.0
import pytest

from cocotb_tests.lib import rtl


@pytest.mark.parametrize("config", ["paper", "default"])
def test_emulator(config):
    rtl.run("ChannelEmulator", config, "cocotb_tests.channel.tb_emulator")


def test_statistics():
    rtl.run("ChannelEmulator", "default", "cocotb_tests.channel.tb_statistics")


@pytest.mark.parametrize("config", ["paper", "default"])
def test_traffic(config):
    rtl.run("TrafficPort", config, "cocotb_tests.channel.tb_traffic")
