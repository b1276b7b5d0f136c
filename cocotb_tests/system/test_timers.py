# SPDX-License-Identifier: Apache-2.0
"""Runs the timers' durations on the build with the smallest window."""

from cocotb_tests.lib import rtl


def test_timers():
    rtl.run("ArqLink", "small", "cocotb_tests.system.tb_timers")
