# SPDX-License-Identifier: Apache-2.0
"""Block tests of package arqlink.lib. (`cocotb_tests/lib` is what the benches share.)"""

import pytest

from cocotb_tests.lib.rtl import run


@pytest.mark.parametrize("block", ["Countdown"])
def test_block(block):
    run(block, "small", f"cocotb_tests.rtl_lib.tb_{block.lower()}")
