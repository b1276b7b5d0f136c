# SPDX-License-Identifier: Apache-2.0
"""Latencies inside a link end, on the pair."""

import pytest

from cocotb_tests import measurements
from tests.effort import slow_in_full


@pytest.mark.parametrize("config", slow_in_full(measurements.ENDS))
def test_nack(config):
    assert measurements.nack(config)
