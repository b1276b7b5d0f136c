# SPDX-License-Identifier: Apache-2.0
"""Runs one link end against the protocol model; all of it with the smallest window, traffic and reboots in other widths too."""

import pytest

from cocotb_tests.lib import rtl
from cocotb_tests.lib.effort import slow_in_full

TRAFFIC = {"COCOTB_TEST_FILTER": r"random_traffic|random_darkness|peer_reboots|phy_stalls|back_to_back"}
SELECTIONS = {"wraps": None, "long": TRAFFIC, "tiny": TRAFFIC, "short8": {"COCOTB_TEST_FILTER": r"random_traffic|random_darkness|peer_reboots|phy_stalls"}}


@pytest.mark.parametrize("config", slow_in_full(SELECTIONS, slow={"long", "short8"}))
def test_peer(config):
    rtl.run("ArqLink", config, "cocotb_tests.system.tb_peer", parameters=SELECTIONS[config], quick=config != "wraps")
