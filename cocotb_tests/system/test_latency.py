# SPDX-License-Identifier: Apache-2.0
"""Measures the latency of an idle link."""

import pytest

from cocotb_tests.lib import rtl
from cocotb_tests.lib.effort import slow_in_full


@pytest.mark.parametrize("config", slow_in_full(["tiny", "paper", "default", "line10g", "fast16"]))
def test_latency(config):
    rtl.run("ArqPair", config, "cocotb_tests.system.tb_latency")
