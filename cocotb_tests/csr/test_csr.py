# SPDX-License-Identifier: Apache-2.0
import pytest

from cocotb_tests.lib import rtl


@pytest.mark.parametrize("config", ["paper", "default", "tiny"])
def test_registers(config):
    rtl.run("CsrBank", config, "cocotb_tests.csr.tb_registers")


@pytest.mark.parametrize("config", ["default", "tiny"])
@pytest.mark.parametrize("block", ["CsrBank", "ChannelEmulator", "TrafficPort"])
def test_offsets(block, config):
    rtl.run(block, config, "cocotb_tests.csr.tb_offsets")


def test_counters():
    rtl.run("CounterBank", "default", "cocotb_tests.csr.tb_counters")


def test_decoder():
    rtl.run("AxiLiteDecoder", "default", "cocotb_tests.csr.tb_decoder")
