# SPDX-License-Identifier: Apache-2.0
"""Runs restarts in each clock on ends of 1, 4 and 8 bytes. At 1 byte units last longest, and the sweep takes over a minute."""

import pytest

from cocotb_tests.lib import rtl
from cocotb_tests.lib.effort import slow_in_full


@pytest.mark.parametrize("config", slow_in_full(["tiny", "wraps", "short8"], slow={"tiny"}))
def test_restarts(config):
    rtl.run("ArqLink", config, "cocotb_tests.system.tb_restarts", quick=config != "wraps")
