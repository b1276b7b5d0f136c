# SPDX-License-Identifier: Apache-2.0
"""Runs the reports of a link end: on a ring of some places, of many, and of one."""

import pytest

from cocotb_tests.lib import rtl
from tests.effort import slow_in_full


@pytest.mark.parametrize("config", slow_in_full(["default", "deep", "wraps"], slow={"default", "deep"}))
def test_reports(config):
    rtl.run("ArqLink", config, "cocotb_tests.system.tb_reports", quick=config != "wraps")
