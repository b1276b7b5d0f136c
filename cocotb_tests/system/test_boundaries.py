# SPDX-License-Identifier: Apache-2.0
"""Runs what has its place at a boundary on the build with the smallest window."""

from cocotb_tests.lib import rtl


def test_boundaries():
    rtl.run("ArqLink", "small", "cocotb_tests.system.tb_boundaries")
