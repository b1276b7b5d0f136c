# SPDX-License-Identifier: Apache-2.0
"""Runs one link end against the protocol model; all of it with the smallest window, traffic and reboots in other widths too."""

import pytest

from cocotb_tests.lib import rtl
from cocotb_tests.lib.effort import slow_in_full

TRAFFIC = r"random_traffic|random_darkness|peer_reboots|phy_stalls"
FLOODED = rf"{TRAFFIC}|back_to_back"
"""With control units one after the other, which come too fast at 8 bytes (docs/limits.md)."""
SELECTIONS = {"wraps": None, "long": FLOODED, "tiny": FLOODED, "short8": TRAFFIC}


@pytest.mark.parametrize("config", slow_in_full(SELECTIONS, slow={"long", "short8"}))
def test_peer(config):
    selected = SELECTIONS[config]
    rtl.run("ArqLink", config, "cocotb_tests.system.tb_peer", parameters=selected and {"COCOTB_TEST_FILTER": selected}, quick=config != "wraps")
