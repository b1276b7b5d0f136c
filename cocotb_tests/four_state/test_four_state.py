# SPDX-License-Identifier: Apache-2.0
"""Runs what users build on a simulator that knows X: what has never been written has no value there, which Verilator does not tell."""

import pytest

from cocotb_tests.lib import rtl
from tests.effort import slow_in_full

CONFIGS = pytest.mark.parametrize("config", ["tiny", "default"])
LINKS = [(block, config) for block in ("ArqLink", "ArqLinkPhyClock", "ArqLinkByteStream") for config in ("tiny", "default")] + [("ArqLink", "line10g")]
SOONER = {("ArqLink", "default")}


@pytest.mark.parametrize(("block", "config"), slow_in_full(LINKS, slow={*LINKS} - SOONER))
def test_link(block, config):
    rtl.run(block, config, "cocotb_tests.four_state.tb_link", four_state=True)


@pytest.mark.full
@CONFIGS
def test_pair(config):
    rtl.run("ArqPair", config, "cocotb_tests.four_state.tb_pair", four_state=True)


@pytest.mark.full
@CONFIGS
@pytest.mark.parametrize("block", ["RsEncoder", "RsDecoder"])
def test_codec(block, config):
    rtl.run(block, config, "cocotb_tests.four_state.tb_codec", four_state=True)
