# SPDX-License-Identifier: Apache-2.0
"""Runs forged units on an idle link, on a window of several blocks and on the smallest one."""

import pytest

from cocotb_tests.lib import rtl


@pytest.mark.parametrize("config", ["wraps", "tiny"])
def test_forged(config):
    rtl.run("ArqLink", config, "cocotb_tests.system.tb_forged", quick=config != "wraps")
