# SPDX-License-Identifier: Apache-2.0
"""Runs one link end against the protocol model; all of it with the smallest window, traffic and reboots in other widths too."""

import pytest

from cocotb_tests.lib import rtl

WIDTHS = r"random_traffic|peer_reboots|phy_stalls"


@pytest.mark.parametrize("config", ["small", "long", "tiny"])
def test_peer(config):
    selection = {"ARQLINK_CONFIG": config}
    if config != "small":
        selection["COCOTB_TEST_FILTER"] = WIDTHS
    rtl.run("ArqLink", config, "cocotb_tests.system.tb_peer", parameters=selection)
