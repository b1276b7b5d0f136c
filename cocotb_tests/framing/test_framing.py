# SPDX-License-Identifier: Apache-2.0
"""Block tests of packages arqlink.packet, arqlink.store and arqlink.framing in every datapath width."""

import pytest

from cocotb_tests.lib.rtl import run
from tests.effort import slow_in_full

CRCS = ["crc1", "crc2", "crc4", "crc8"]
BENCHES = {
    "FrameStore": ("tb_frame_store", ["paper", "default", "codec", "tiny"]),
    "Segmenter": ("tb_segmenter", ["paper", "default", "wide8", "short8", "tiny", "small", "line10g", *CRCS]),
    "Framer": ("tb_framer", ["paper", "default", "wide8", "short8", "tiny"]),
    "Deframer": ("tb_deframer", ["paper", "default", "wide8", "short8", "tiny"]),
    "PacketDrain": ("tb_packet_drain", ["default"]),
    "PacketCrcInserter": ("tb_packet_crc_inserter", CRCS),
    "PacketCrcChecker": ("tb_packet_crc_checker", CRCS),
    "Reassembler": ("tb_reassembler", ["paper", "tiny", "default", "wide8"]),
}
CASES = [(block, bench, config) for block, (bench, configs) in BENCHES.items() for config in configs]
LATER = {"paper", "wide8", "codec", "line10g", "crc1", "crc2", "crc8"}
"""Longer units, and widths that `tiny`, `default` and `short8` have too."""


@pytest.mark.parametrize("block,bench,config", slow_in_full(CASES, LATER, lambda case: case[2]))
def test_block(block, bench, config):
    run(block, config, f"cocotb_tests.framing.{bench}")
