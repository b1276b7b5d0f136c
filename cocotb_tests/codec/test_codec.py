# SPDX-License-Identifier: Apache-2.0
import pytest

from cocotb_tests import measurements
from cocotb_tests.lib.effort import slow_in_full

SLOW = {"line10g", "codec16", "montecarlo", "wide", "paper"}
"""The others have all widths but 8 bytes, which `arqlink codec` has, the shortest and the longest units, and both ways to build a codec."""


@pytest.mark.parametrize("config", slow_in_full(measurements.CODECS, SLOW))
@pytest.mark.parametrize("measure", [measurements.decoder, measurements.encoder])
def test_codec(measure, config):
    assert measure(config)
