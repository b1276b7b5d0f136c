# SPDX-License-Identifier: Apache-2.0
"""Reference codewords: zfec itself for its preset, matrices over galois' GF(2^8) for the others."""

import functools
import os

os.environ.setdefault("NUMBA_DISABLE_JIT", "1")  # to compile takes seconds, and what is calculated here is small

import galois
import numpy as np
import zfec

ZFEC, RFC5510, CAUCHY = range(3)
PRESETS = {"zfec": ZFEC, "rfc5510": RFC5510, "cauchy": CAUCHY}

# Parity of all-equal units: data unit j consists of bytes j + 1 (checked against zfec, RFC 5510 and ISA-L).
PARITY = {
    (ZFEC, 4, 6): "872e",
    (RFC5510, 4, 6): "d636",
    (CAUCHY, 4, 6): "480f",
    (ZFEC, 10, 14): "d7c08e5d",
    (RFC5510, 10, 14): "a4b26cd3",
    (CAUCHY, 10, 14): "35aa6137",
}


@functools.cache
def field():
    return galois.GF(2**8, irreducible_poly=0x11D, compile="python-calculate")


@functools.cache
def products():
    """The 256 x 256 multiplication table, from galois."""
    every = field()(np.arange(256))
    return np.asarray(np.multiply.outer(every, every), dtype=np.uint8)


def matmul(a, b):
    """Matrix product; galois' own needs its just-in-time compiler, which cocotb's rewriting of assertions confuses."""
    return np.bitwise_xor.reduce(products()[np.asarray(a)[:, :, None], np.asarray(b)[None, :, :]], axis=1)


@functools.cache
def parity_matrix(preset, k, n):
    """Rows k to n-1 of the systematic generator matrix, for RFC 5510 section 8.2 and for gf_gen_cauchy1_matrix of ISA-L."""
    gf = field()
    if preset == CAUCHY:
        rows = gf([[i ^ j for j in range(k)] for i in range(k, n)]) ** -1
    elif preset == RFC5510:
        points = gf.primitive_element ** np.arange(n)
        vandermonde = gf([[int(x**e) for e in range(k)] for x in points])
        rows = matmul(vandermonde[k:], np.linalg.inv(vandermonde[:k]))
    else:
        raise ValueError(f"preset {preset} has no matrix here")
    return np.asarray(rows, dtype=np.uint8)


def encode(preset, data, n):
    """All n units of the codeword over the k units `data` (equally long bytes)."""
    k = len(data)
    if n == k:
        return list(data)
    if preset == ZFEC:
        return list(data) + [bytes(b) for b in zfec.Encoder(k, n).encode(list(data), tuple(range(k, n)))]
    units = np.frombuffer(b"".join(data), dtype=np.uint8).reshape(k, -1)
    return list(data) + [bytes(row) for row in matmul(parity_matrix(preset, k, n), units)]
