# SPDX-License-Identifier: Apache-2.0
"""Runs beliefs and contradictions on the build with the smallest window of several blocks, and on the smallest window."""

import pytest

from cocotb_tests.lib import rtl


@pytest.mark.parametrize("config", ["wraps", "tiny"])
def test_trust(config):
    rtl.run("ArqLink", config, "cocotb_tests.system.tb_trust", quick=config != "wraps")
