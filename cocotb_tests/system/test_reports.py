# SPDX-License-Identifier: Apache-2.0
"""Runs the reports of a link end: on a ring of some places, of many, and of one."""

import pytest

from cocotb_tests.lib import rtl


@pytest.mark.parametrize("config", ["default", "deep", "wraps"])
def test_reports(config):
    rtl.run("ArqLink", config, "cocotb_tests.system.tb_reports", quick=config != "wraps")
