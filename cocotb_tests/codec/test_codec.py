# SPDX-License-Identifier: Apache-2.0
import pytest

from cocotb_tests import measurements
from tests.effort import slow_in_full

QUICK = {"tiny", "default"}
"""Beats of 1 and 4 bytes, one and several groups of parity units; `arqlink codec`, which tests/run/test_codec_cli.py runs, has 8 bytes."""


@pytest.mark.parametrize("config", slow_in_full(measurements.CODECS, set(measurements.CODECS) - QUICK))
@pytest.mark.parametrize("measure", [measurements.decoder, measurements.encoder])
def test_codec(measure, config):
    assert measure(config)
