# SPDX-License-Identifier: Apache-2.0
"""Latencies inside a link end, on the pair."""

import pytest

from cocotb_tests.lib import rtl

WIDE = pytest.mark.xfail(strict=True, reason="45 clocks at 16 bytes (docs/limits.md)")


@pytest.mark.parametrize("config", ["tiny", "paper", "default", "line10g", pytest.param("fast16", marks=WIDE)])
def test_nack(config):
    rtl.run("ArqPair", config, "cocotb_tests.system.tb_nack")
