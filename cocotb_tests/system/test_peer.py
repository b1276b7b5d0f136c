# SPDX-License-Identifier: Apache-2.0
"""Runs one link end against the protocol model; all of it with the smallest window, traffic and reboots in other widths too."""

import pytest

from cocotb_tests.lib import rtl
from cocotb_tests.lib.effort import slow_in_full

TRAFFIC = {"COCOTB_TEST_FILTER": r"random_traffic|random_darkness|peer_reboots|phy_stalls"}
FLOODED = {"COCOTB_TEST_FILTER": r"random_traffic|random_darkness|peer_reboots|phy_stalls|back_to_back"}
"""At 16 bytes a control unit lasts two clocks, and is processed in four or more (docs/limits.md)."""
SELECTIONS = {"wraps": None, "long": FLOODED, "tiny": FLOODED, "wide16": TRAFFIC}


@pytest.mark.parametrize("config", slow_in_full(SELECTIONS, slow={"long", "wide16"}))
def test_peer(config):
    rtl.run("ArqLink", config, "cocotb_tests.system.tb_peer", parameters=SELECTIONS[config], quick=config != "wraps")
