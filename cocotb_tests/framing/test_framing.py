# SPDX-License-Identifier: Apache-2.0
"""Block tests of packages arqlink.packet, arqlink.store and arqlink.framing in every datapath width."""

import pytest

from cocotb_tests.lib.rtl import run

CRCS = ["crc1", "crc2", "crc4", "crc8"]
BENCHES = {
    "FrameStore": ("tb_frame_store", ["paper", "default", "codec", "tiny"]),
    "Segmenter": ("tb_segmenter", ["paper", "default", "wide8", "short8", "tiny", "small", "line10g", *CRCS]),
    "Framer": ("tb_framer", ["paper", "default", "wide8", "short8", "tiny"]),
    "Deframer": ("tb_deframer", ["paper", "default", "wide8", "short8", "tiny"]),
    "PacketDrain": ("tb_packet_drain", ["default"]),
    "PacketCrcInserter": ("tb_packet_crc_inserter", CRCS),
    "PacketCrcChecker": ("tb_packet_crc_checker", CRCS),
    "Reassembler": ("tb_reassembler", ["paper", "default", "wide8"]),
}
CASES = [(block, bench, config) for block, (bench, configs) in BENCHES.items() for config in configs]


@pytest.mark.parametrize("block,bench,config", CASES)
def test_block(block, bench, config):
    run(block, config, f"cocotb_tests.framing.{bench}")
