# SPDX-License-Identifier: Apache-2.0
"""The golden codec against published values, zfec, and itself over all patterns."""

from itertools import combinations

import pytest
import zfec

from cocotb_tests.model import code, gf
from tests import seeds


def test_field_has_the_right_polynomial():
    assert gf.mul(0x80, 2) == 0x1D
    assert all(gf.mul(a, gf.inv(a)) == 1 for a in range(1, 256))
    assert len({gf.power(2, i) for i in range(255)}) == 255


GOLDEN = [
    (4, 6, code.ZFEC, "872e"),
    (4, 6, code.RFC5510, "d636"),
    (4, 6, code.CAUCHY, "480f"),
    (10, 14, code.ZFEC, "d7c08e5d"),
    (10, 14, code.RFC5510, "a4b26cd3"),
    (10, 14, code.CAUCHY, "35aa6137"),
]


@pytest.mark.parametrize("k,n,preset,parity", GOLDEN)
def test_golden_values(k, n, preset, parity):
    units = code.encode([bytes([i + 1]) for i in range(k)], n, preset)
    assert b"".join(units[k:]).hex() == parity


@pytest.mark.parametrize("k,n", [(1, 1), (1, 5), (4, 7), (10, 18), (16, 24), (100, 140)])
def test_zfec_agrees(k, n):
    rng = seeds.rng(f"K {k}, N {n}")
    data = [rng.randbytes(9) for _ in range(k)]
    expected = zfec.Encoder(k, n).encode(data) if n > 1 else data
    assert code.encode(data, n) == [bytes(u) for u in expected]


@pytest.mark.parametrize("preset", [0, 1, 2])
def test_every_pattern_of_a_small_code(preset):
    rng = seeds.rng(preset)
    data = [rng.randbytes(3) for _ in range(4)]
    units = code.encode(data, 7, preset)
    for chosen in combinations(range(7), 4):
        assert code.decode({j: units[j] for j in chosen}, 4, 7, preset) == data


@pytest.mark.parametrize("preset", [0, 1, 2])
def test_random_patterns_of_a_large_code(preset):
    rng = seeds.rng(preset)
    for _ in range(30):
        k = rng.randint(1, 16)
        n = k + rng.randint(0, 8)
        data = [rng.randbytes(5) for _ in range(k)]
        units = code.encode(data, n, preset)
        assert code.decode({j: units[j] for j in rng.sample(range(n), k)}, k, n, preset) == data


def test_wrong_use_is_refused():
    with pytest.raises(ValueError, match="exactly K"):
        code.decode({0: b"a"}, 2, 3)
    with pytest.raises(ValueError, match="1 <= K <= N"):
        code.generator(0, 3, 2)
