# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the soft system: CPU, boot loader and devices around one link end, and around the pair."""

import pytest

from arqlink import soc
from cocotb_tests.lib import rtl
from cocotb_tests.soc.bench import SETTINGS

BENCHES = [("ArqSoc", "tb_boot"), ("ArqSoc", "tb_shell"), ("ArqPairSoc", "tb_pair"), ("ArqPairSoc", "tb_traffic")]


@pytest.mark.parametrize(("block", "bench"), BENCHES, ids=[bench for _, bench in BENCHES])
def test_soc(block, bench):
    sources = soc.generate(block, "small", "hello", SETTINGS)
    rtl.run(block, "small", f"cocotb_tests.soc.{bench}", sources=sources)
