# SPDX-License-Identifier: Apache-2.0
"""Runs what users build on a simulator that knows X: what has never been written has no value there, which Verilator does not tell."""

import pytest

from cocotb_tests.lib import rtl

CONFIGS = pytest.mark.parametrize("config", ["tiny", "default"])


@CONFIGS
@pytest.mark.parametrize("block", ["ArqLink", "ArqLinkPhyClock", "ArqLinkByteStream"])
def test_link(block, config):
    rtl.run(block, config, "cocotb_tests.four_state.tb_link", four_state=True)


@CONFIGS
def test_pair(config):
    rtl.run("ArqPair", config, "cocotb_tests.four_state.tb_pair", four_state=True)


@CONFIGS
@pytest.mark.parametrize("block", ["RsEncoder", "RsDecoder"])
def test_codec(block, config):
    rtl.run(block, config, "cocotb_tests.four_state.tb_codec", four_state=True)
