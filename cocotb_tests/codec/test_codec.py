# SPDX-License-Identifier: Apache-2.0
import pytest

from cocotb_tests.lib import rtl


# paper and default keep full rate; units of montecarlo and wide are too short for that; wide and long are corners.
# Configuration codec is covered by sim/tests/test_codec_cli.py.
CASES = [("RsDecoder", c) for c in ("default", "paper", "montecarlo", "wide", "long")]
CASES += [("RsEncoder", c) for c in ("default", "paper", "wide", "long")]


@pytest.mark.parametrize("block, config", CASES)
def test_codec(block, config):
    module = {"RsEncoder": "tb_encoder", "RsDecoder": "tb_decoder"}[block]
    rtl.run(block, config, f"cocotb_tests.codec.{module}", parameters={"ARQLINK_CONFIG": config})
