# SPDX-License-Identifier: Apache-2.0
"""Runs what has its place at a boundary on the build with the smallest window; answers to polls on a larger one too."""

import pytest

from cocotb_tests.lib import rtl
from tests.effort import slow_in_full

SELECTIONS = {"wraps": None, "default": {"COCOTB_TEST_FILTER": r"answer_to_a_poll|stalled|abandons"}}


@pytest.mark.parametrize("config", slow_in_full(SELECTIONS, slow={"default"}))
def test_boundaries(config):
    rtl.run("ArqLink", config, "cocotb_tests.system.tb_boundaries", parameters=SELECTIONS[config], quick=config != "wraps")
