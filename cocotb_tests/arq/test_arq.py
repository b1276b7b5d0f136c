# SPDX-License-Identifier: Apache-2.0
"""Block tests of package arqlink.arq, on the smallest window so that every number wraps around the tables. What the receiver has in
beats is run on units of two beats 16 bytes wide too."""

import pytest

from cocotb_tests.lib.rtl import run

CASES = [
    ("ArqSender", "small"),
    ("ArqReceiver", "small"),
    ("ArqReceiver", "corner"),
    ("Resequencer", "small"),
]


@pytest.mark.parametrize("block, config", CASES)
def test_block(block, config):
    run(block, config, f"cocotb_tests.arq.tb_{block.removeprefix('Arq').lower()}")
