# SPDX-License-Identifier: Apache-2.0
"""Runs the link end whose PHY has a clock of its own; a faster and a slower one in the narrowest and the widest datapath."""

import pytest

from cocotb_tests.lib import rtl
from tests.effort import slow_in_full

WIDTHS = {"COCOTB_TEST_FILTER": r"phy_ns=(7|11)$"}


@pytest.mark.parametrize("config", slow_in_full(["small", "tiny", "short8"], slow={"small", "tiny"}))
def test_phy_clock(config):
    rtl.run("ArqLinkPhyClock", config, "cocotb_tests.system.tb_phy_clock", parameters=None if config == "small" else WIDTHS, quick=True)
