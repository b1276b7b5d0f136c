# SPDX-License-Identifier: Apache-2.0
"""Clocks as microseconds in the firmware."""

import pytest

from sw.tests import firmware

WRAP = 1 << 32
CLOCKS = [1, 999_999, 1_000_000, 1_000_001, 12_500_000, 25_000_000, 62_500_000, 100_000_000, 156_250_000, WRAP - 1]


@pytest.mark.parametrize("hertz", CLOCKS)
def test_microseconds_are_those_of_the_clock(hertz, rng):
    """Within a millionth, for years, modulo 2^32."""
    _, library = firmware.library()
    scale = library.microseconds_scale(hertz)
    assert scale == 10**6 * WRAP // hertz
    last = 0
    for bits in range(1, 56):
        clocks = rng.getrandbits(bits)
        exact = clocks * 10**6 // hertz
        off = (exact - library.microseconds_of(clocks, scale)) % WRAP
        assert min(off, WRAP - off) <= 1 + exact // 10**6, (clocks, exact)
        last = max(last, exact)
    assert last > WRAP


@pytest.mark.parametrize("hertz", CLOCKS)
def test_a_span_is_never_too_short(hertz):
    _, library = firmware.library()
    scale = library.microseconds_scale(hertz)
    for clocks in (0, 1, 1000, 10**6, WRAP - 1, WRAP, 1 << 40, (1 << 64) - 1):
        found, exact = library.microseconds_span(clocks, scale), clocks * 10**6 / hertz
        assert found == 1 << 31 or exact <= found <= 2 + exact * (1 + 1e-6)
        assert 0 < found <= 1 << 31
