# SPDX-License-Identifier: Apache-2.0
import pytest

from cocotb_tests.lib import rtl


@pytest.mark.parametrize("config", ["paper", "default", "montecarlo", "codec", "wide", "long"])
@pytest.mark.parametrize("block", ["RsEncoder", "RsDecoder"])
def test_codec(block, config):
    module = {"RsEncoder": "tb_encoder", "RsDecoder": "tb_decoder"}[block]
    rtl.run(block, config, f"cocotb_tests.codec.{module}", parameters={"ARQLINK_CONFIG": config})
