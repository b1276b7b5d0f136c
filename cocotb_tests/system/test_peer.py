# SPDX-License-Identifier: Apache-2.0
"""Runs one link end against the protocol model; all of it with the smallest window, traffic and reboots in other widths too."""

import pytest

from cocotb_tests.lib import rtl
from tests.effort import slow_in_full

TRAFFIC = r"random_traffic|random_darkness|peer_reboots|phy_stalls"
FLOODED = "back_to_back"
"""Units one after the other: two beats of payload or more, at every width."""
GAP = "a_long_gap_makes_no_unit_wait"
"""In the deepest window, of which it can take the most transmissions."""
SELECTIONS = {
    "wraps": rf"^(?!.*{GAP})",
    "long": f"{TRAFFIC}|{FLOODED}",
    "tiny": f"{TRAFFIC}|{FLOODED}",
    "short8": f"{TRAFFIC}|{FLOODED}",
    "wide8": FLOODED,
    "crc2": FLOODED,
    "crc8": FLOODED,
    "deep": GAP,
}


@pytest.mark.parametrize("config", slow_in_full(SELECTIONS, slow=SELECTIONS.keys() - {"wraps"}))
def test_peer(config):
    selected = {"COCOTB_TEST_FILTER": SELECTIONS[config]}
    rtl.run("ArqLink", config, "cocotb_tests.system.tb_peer", parameters=selected, quick=config != "wraps")
