# SPDX-License-Identifier: Apache-2.0
"""Measures the latency of an idle link."""

import pytest

from cocotb_tests import measurements
from tests.effort import slow_in_full


@pytest.mark.parametrize("config", slow_in_full(measurements.ENDS, slow=set(measurements.ENDS) - {"tiny"}))
def test_latency(config):
    assert measurements.latency(config)
