# SPDX-License-Identifier: Apache-2.0
"""Runs the changes of the setting on the pair with the smallest window."""

import pytest

from cocotb_tests.lib import rtl


@pytest.mark.full
def test_effect():
    rtl.run("ArqPair", "wraps", "cocotb_tests.system.tb_effect")
