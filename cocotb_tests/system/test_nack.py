# SPDX-License-Identifier: Apache-2.0
"""Latencies inside a link end, on the pair."""

import pytest

from cocotb_tests import measurements
from tests.effort import SLOW_TO_BUILD, slow_in_full


@pytest.mark.parametrize("config", slow_in_full(measurements.ENDS, slow=SLOW_TO_BUILD | {"default"}))
def test_nack(config):
    assert measurements.nack(config)
