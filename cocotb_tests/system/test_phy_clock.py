# SPDX-License-Identifier: Apache-2.0
"""Runs the link end whose PHY has a clock of its own."""

from cocotb_tests.lib import rtl


def test_phy_clock():
    rtl.run("ArqLinkPhyClock", "small", "cocotb_tests.system.tb_phy_clock")
