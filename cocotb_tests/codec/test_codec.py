# SPDX-License-Identifier: Apache-2.0
import pytest

from cocotb_tests.lib import rtl

# Widths of 1 to 16 bytes, units of two beats up to a hundred, one parity unit up to eight.
# Configuration codec (sixteen) is covered by tests/run/test_codec_cli.py.
CONFIGS = ("paper", "tiny", "compact", "default", "line10g", "line20g", "montecarlo", "wide", "corner", "long")
CASES = [(block, config) for block in ("RsDecoder", "RsEncoder") for config in CONFIGS]


@pytest.mark.parametrize("block, config", CASES)
def test_codec(block, config):
    module = {"RsEncoder": "tb_encoder", "RsDecoder": "tb_decoder"}[block]
    rtl.run(block, config, f"cocotb_tests.codec.{module}")
