# SPDX-License-Identifier: Apache-2.0
"""Runs the random scenarios on `montecarlo`, on the build with the smallest window, and on datapaths of 1, 8 and 16 bytes."""

import pytest

from cocotb_tests.lib import rtl

BUT_CHANGES = {"COCOTB_TEST_FILTER": r"^(?!.*settings_change)"}
"""Full traffic both ways overflows the receiver at 16 bytes: statistics/test_line_use.py::test_both_ways, docs/limits.md."""


@pytest.mark.parametrize("config", ["montecarlo", "small", "tiny", "wide8", "fast16"])
def test_random(config):
    rtl.run("ArqPair", config, "cocotb_tests.system.tb_random", parameters=BUT_CHANGES if config == "fast16" else None)
