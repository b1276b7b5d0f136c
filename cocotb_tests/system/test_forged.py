# SPDX-License-Identifier: Apache-2.0
"""Runs forged units on an idle link, on the smallest window and on an end built for area."""

import pytest

from cocotb_tests.lib import rtl


@pytest.mark.parametrize("config", ["wraps", "tiny"])
def test_forged(config):
    rtl.run("ArqLink", config, "cocotb_tests.system.tb_forged", quick=config != "wraps")
