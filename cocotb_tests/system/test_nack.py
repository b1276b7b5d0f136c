# SPDX-License-Identifier: Apache-2.0
"""Latencies inside a link end, on the pair."""

from cocotb_tests.lib import rtl


def test_nack():
    rtl.run("ArqPair", "default", "cocotb_tests.system.tb_nack")
