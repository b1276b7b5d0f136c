# SPDX-License-Identifier: Apache-2.0
"""The erasure code by its definition: a generator matrix, and the inverse of the rows that came.

zfec and rfc5510: Vandermonde matrix V[j][i] = x_j^i, made systematic as V * inverse(top K rows) (Rizzo 1997; RFC 5510
section 8). cauchy: identity over 1 / (i xor j) (ISA-L gf_gen_cauchy1_matrix).
"""

from functools import cache, lru_cache

from . import gf

ZFEC, RFC5510, CAUCHY = 0, 1, 2


def point(preset, j):
    """Evaluation point x_j of a polynomial preset."""
    if preset == ZFEC:
        return 0 if j == 0 else gf.power(2, j - 1)
    return gf.power(2, j)


@cache
def generator(preset, k, n):
    """Generator matrix as n rows of k elements; its first k rows are the identity."""
    if not 1 <= k <= n <= 255:
        raise ValueError(f"K is {k} and N is {n}; 1 <= K <= N <= 255 must hold")
    identity = [[int(i == j) for j in range(k)] for i in range(k)]
    if preset == CAUCHY:
        parity = [[gf.inv(i ^ j) for j in range(k)] for i in range(k, n)]
    else:
        rows = [[gf.power(point(preset, j), i) for i in range(k)] for j in range(n)]
        parity = gf.product(rows[k:], gf.invert(rows[:k]))
    return tuple(tuple(row) for row in identity + parity)


@lru_cache(maxsize=4096)
def _decoding(preset, k, n, indices):
    rows = generator(preset, k, n)
    return gf.invert([rows[j] for j in indices])


def _combine(row, units):
    total = 0
    for factor, unit in zip(row, units):
        if factor:
            total ^= int.from_bytes(unit.translate(gf.MUL[factor]), "little")
    return total.to_bytes(len(units[0]), "little")


def encode(units, n, preset=ZFEC):
    """The n units of the codeword of these K data units (equal length bytes)."""
    k = len(units)
    return list(units) + [_combine(row, units) for row in generator(preset, k, n)[k:]]


def decode(received, k, n, preset=ZFEC):
    """The K data units, from `received`: a dict of exactly K units by index."""
    if len(received) != k:
        raise ValueError(f"{len(received)} units came; exactly K = {k} are needed")
    indices = tuple(sorted(received))
    units = [received[j] for j in indices]
    if indices == tuple(range(k)):
        return units
    return [received[i] if i in received else _combine(row, units) for i, row in enumerate(_decoding(preset, k, n, indices))]
