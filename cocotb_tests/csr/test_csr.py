# SPDX-License-Identifier: Apache-2.0
import pytest

from cocotb_tests.lib import rtl


@pytest.mark.parametrize("config", ["paper", "default", "tiny"])
def test_registers(config):
    rtl.run("CsrBank", config, "cocotb_tests.csr.tb_registers", parameters={"ARQLINK_COMPACT": int(config == "tiny")})


@pytest.mark.parametrize("config", ["default", "tiny"])
@pytest.mark.parametrize("block", ["CsrBank", "ChannelEmulator", "TrafficPort"])
def test_offsets(block, config):
    rtl.run(block, config, "cocotb_tests.csr.tb_offsets")


@pytest.mark.parametrize("config", ["default", "tiny"])
def test_counters(config):
    """`tiny` has the compact bank, whose events keep their pace and whose snapshots are of one pass."""
    rtl.run("CounterBank", config, "cocotb_tests.csr.tb_counters", parameters={"ARQLINK_COMPACT": int(config == "tiny")})


def test_decoder():
    rtl.run("AxiLiteDecoder", "default", "cocotb_tests.csr.tb_decoder")
