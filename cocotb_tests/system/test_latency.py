# SPDX-License-Identifier: Apache-2.0
"""Measures the latency of an idle link."""

import pytest

from cocotb_tests.lib import rtl


@pytest.mark.parametrize("config", ["tiny", "default", "line10g"])
def test_latency(config):
    rtl.run("ArqPair", config, "cocotb_tests.system.tb_latency")
