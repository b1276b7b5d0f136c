# SPDX-License-Identifier: Apache-2.0
"""Block tests of package arqlink.arq, on the smallest window so that every number wraps around the tables. The receiver has more stages where units
have eight beats or more, and fewer in builds for area; both are run, and units of two beats 16 bytes wide."""

import re

import pytest

from cocotb_tests.lib.rtl import run

CASES = [
    ("ArqSender", "small"),
    ("ArqReceiver", "small"),
    ("ArqReceiver", "corner"),
    ("ArqReceiver", "default"),
    ("ArqReceiver", "tiny"),
    ("Resequencer", "small"),
    ("LinkControl", "small"),
    ("ConsistencyWatch", "small"),
    ("PeerEdges", "small"),
]


@pytest.mark.parametrize("block, config", CASES)
def test_block(block, config):
    words = re.sub("(?<!^)(?=[A-Z])", "_", block.removeprefix("Arq"))
    run(block, config, f"cocotb_tests.arq.tb_{words.lower()}")
