# SPDX-License-Identifier: Apache-2.0
"""Runs the scenarios of outages, restarts and bad input on the pair with the smallest window."""

from cocotb_tests.lib import rtl


def test_events():
    rtl.run("ArqPair", "wraps", "cocotb_tests.system.tb_events")
