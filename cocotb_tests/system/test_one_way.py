# SPDX-License-Identifier: Apache-2.0
"""Runs data one way on ends of 1, 4 and 8 bytes."""

import pytest

from cocotb_tests.lib import rtl
from tests.effort import slow_in_full


@pytest.mark.parametrize("config", slow_in_full(["tiny", "wraps", "short8"], slow={"tiny", "short8"}))
def test_one_way(config):
    rtl.run("ArqLink", config, "cocotb_tests.system.tb_one_way", quick=config != "wraps")
