# SPDX-License-Identifier: Apache-2.0
"""Runs the random scenarios on `montecarlo` and on the build with the smallest window."""

import pytest

from cocotb_tests.lib import rtl


@pytest.mark.parametrize("config", ["montecarlo", "small"])
def test_random(config):
    rtl.run("ArqPair", config, "cocotb_tests.system.tb_random", parameters={"ARQLINK_CONFIG": config})
