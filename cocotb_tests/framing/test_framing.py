# SPDX-License-Identifier: Apache-2.0
"""Block tests of package arqlink.link in every datapath width."""

import pytest

from cocotb_tests.framing.bench import BUILDS
from cocotb_tests.lib.rtl import run

BENCHES = {
    "FrameStore": "tb_frame_store",
    "Segmenter": "tb_segmenter",
    "Framer": "tb_framer",
    "Deframer": "tb_deframer",
    "Reassembler": "tb_reassembler",
}


@pytest.mark.parametrize("config", BUILDS)
@pytest.mark.parametrize("block", BENCHES)
def test_block(block, config):
    run(block, config, f"cocotb_tests.framing.{BENCHES[block]}", parameters={"CONFIG": config})
