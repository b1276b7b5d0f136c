# SPDX-License-Identifier: Apache-2.0
"""Runs the timers' durations on the build with the smallest window of several blocks, and on the smallest window."""

import pytest

from cocotb_tests.lib import rtl
from tests.effort import slow_in_full


@pytest.mark.parametrize("config", slow_in_full(["wraps", "tiny"], slow={"tiny"}))
def test_timers(config):
    rtl.run("ArqLink", config, "cocotb_tests.system.tb_timers", quick=config != "wraps")
