# SPDX-License-Identifier: Apache-2.0
"""Runs one link end against the protocol model."""

from cocotb_tests.lib import rtl


def test_peer():
    rtl.run("ArqLink", "small", "cocotb_tests.system.tb_peer")
