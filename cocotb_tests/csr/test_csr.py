# SPDX-License-Identifier: Apache-2.0
import pytest

from cocotb_tests.lib import rtl
from cocotb_tests.lib.regs import regs

MOST = 124


@pytest.mark.parametrize("config", ["paper", "default", "tiny"])
def test_registers(config):
    rtl.run("CsrBank", config, "cocotb_tests.csr.tb_registers")


@pytest.mark.parametrize("config", ["default", "tiny"])
@pytest.mark.parametrize("block", ["CsrBank", "ChannelEmulator", "TrafficPort"])
def test_offsets(block, config):
    rtl.run(block, config, "cocotb_tests.csr.tb_offsets")


def test_offsets_of_most_counters():
    rtl.run("CsrBankMost", "default", "cocotb_tests.csr.tb_offsets")


def test_counters():
    rtl.run("CounterBank", "default", "cocotb_tests.csr.tb_counters")


def test_most_counters():
    """As many as there can be: a pass of 255 clocks instead of 127."""
    rtl.run("CounterBankMost", "default", "cocotb_tests.csr.tb_counters", parameters={"SPARE": MOST - len(regs.COUNTERS)})


def test_decoder():
    rtl.run("AxiLiteDecoder", "default", "cocotb_tests.csr.tb_decoder")
