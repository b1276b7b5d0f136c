# SPDX-License-Identifier: Apache-2.0
"""Runs beliefs and contradictions on the build with the smallest window."""

from cocotb_tests.lib import rtl


def test_trust():
    rtl.run("ArqLink", "small", "cocotb_tests.system.tb_trust")
