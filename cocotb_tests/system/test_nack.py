# SPDX-License-Identifier: Apache-2.0
"""Latencies inside a link end, on the pair."""

import pytest

from cocotb_tests.lib import rtl
from cocotb_tests.lib.effort import slow_in_full


@pytest.mark.parametrize("config", slow_in_full(["tiny", "paper", "default", "line10g", "fast16"]))
def test_nack(config):
    rtl.run("ArqPair", config, "cocotb_tests.system.tb_nack")
