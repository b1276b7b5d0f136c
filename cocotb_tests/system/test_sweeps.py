# SPDX-License-Identifier: Apache-2.0
"""Runs restarts, and polls, timers, settings and snapshots, in each clock on ends of 1, 4 and 8 bytes. A sweep takes half a minute, and at 1 byte,
where units last longest, over a minute."""

import pytest

from cocotb_tests.lib import rtl
from tests.effort import slow_in_full


@pytest.mark.parametrize("config", slow_in_full(["tiny", "wraps", "short8"], slow={"tiny", "short8"}))
@pytest.mark.parametrize("bench", ["restarts", "moments"])
def test_sweep(bench, config):
    rtl.run("ArqLink", config, f"cocotb_tests.system.tb_{bench}", quick=config != "wraps")
