# SPDX-License-Identifier: Apache-2.0
"""Runs forged units on an idle link, on a window of several blocks and on the smallest one."""

import pytest

from cocotb_tests.lib import rtl
from tests.effort import slow_in_full


@pytest.mark.parametrize("config", slow_in_full(["wraps", "tiny"], slow={"tiny"}))
def test_forged(config):
    rtl.run("ArqLink", config, "cocotb_tests.system.tb_forged", quick=config != "wraps")
