# SPDX-License-Identifier: Apache-2.0
import pytest

from cocotb_tests import measurements


@pytest.mark.parametrize("config", measurements.CODECS)
@pytest.mark.parametrize("measure", [measurements.decoder, measurements.encoder])
def test_codec(measure, config):
    assert measure(config)
