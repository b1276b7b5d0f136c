# SPDX-License-Identifier: Apache-2.0
"""Block tests of package arqlink.arq, on the smallest window so that every number wraps around the tables."""

import pytest

from cocotb_tests.lib.rtl import run


@pytest.mark.parametrize("block", ["ArqSender", "ArqReceiver", "Resequencer"])
def test_block(block):
    run(block, "small", f"cocotb_tests.arq.tb_{block.removeprefix('Arq').lower()}")
