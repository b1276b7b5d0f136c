# SPDX-License-Identifier: Apache-2.0
"""Runs links of unequal windows: on the smallest window, with peers of larger ones, and on a window that has repeats."""

import pytest

from cocotb_tests.lib import rtl


@pytest.mark.parametrize("config", ["small", pytest.param("default", marks=pytest.mark.full)])
def test_windows(config):
    rtl.run("ArqLink", config, "cocotb_tests.system.tb_windows", quick=True)
