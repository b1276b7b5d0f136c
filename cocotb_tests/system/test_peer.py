# SPDX-License-Identifier: Apache-2.0
"""Runs one link end against the protocol model; all of it with the smallest window, traffic and reboots in other widths too."""

import pytest

from cocotb_tests.lib import rtl

TRAFFIC = {"COCOTB_TEST_FILTER": r"random_traffic|peer_reboots|phy_stalls|back_to_back"}
REBOOTS = {"COCOTB_TEST_FILTER": r"peer_reboots|phy_stalls"}
"""Full traffic both ways overflows the receiver at 16 bytes: statistics/test_line_use.py::test_both_ways, docs/limits.md."""


SELECTIONS = {"small": None, "long": TRAFFIC, "tiny": TRAFFIC, "wide16": REBOOTS}


@pytest.mark.parametrize("config", SELECTIONS)
def test_peer(config):
    rtl.run("ArqLink", config, "cocotb_tests.system.tb_peer", parameters=SELECTIONS[config], quick=config != "small")
