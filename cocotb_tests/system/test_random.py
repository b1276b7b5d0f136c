# SPDX-License-Identifier: Apache-2.0
"""Runs the random scenarios on `montecarlo`, on the build with the smallest window, and on datapaths of 1 and 8 bytes."""

import pytest

from cocotb_tests.lib import rtl
from tests.effort import slow_in_full


@pytest.mark.parametrize("config", slow_in_full(["montecarlo", "wraps", "tiny", "wide8"], slow={"montecarlo", "tiny", "wide8"}))
def test_random(config):
    rtl.run("ArqPair", config, "cocotb_tests.system.tb_random")
