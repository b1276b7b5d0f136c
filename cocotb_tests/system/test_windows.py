# SPDX-License-Identifier: Apache-2.0
"""Runs links of unequal windows: on the smallest window, with peers of larger ones, and on a window whose ring has several places."""

import pytest

from cocotb_tests.lib import rtl
from tests.effort import slow_in_full


@pytest.mark.parametrize("config", slow_in_full(["wraps", "default"], slow={"default"}))
def test_windows(config):
    rtl.run("ArqLink", config, "cocotb_tests.system.tb_windows", quick=config != "wraps")
