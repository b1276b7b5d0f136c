# SPDX-License-Identifier: Apache-2.0
"""GF(2^8) with the polynomial 0x11D, by shift and add; and linear systems over it."""

POLYNOMIAL = 0x11D


def _multiply(a, b):
    product = 0
    while b:
        if b & 1:
            product ^= a
        a <<= 1
        if a & 0x100:
            a ^= POLYNOMIAL
        b >>= 1
    return product


# MUL[a] is a 256-byte translation table: bytes.translate(MUL[a]) multiplies a whole unit by a.
MUL = [bytes(_multiply(a, b) for b in range(256)) for a in range(256)]


def mul(a, b):
    """Product of two field elements."""
    return MUL[a][b]


def inv(a):
    """Inverse of a non-zero element: a^254."""
    if a == 0:
        raise ZeroDivisionError("0 has no inverse in GF(2^8)")
    return power(a, 254)


def power(a, n):
    """a to the n-th power, n >= 0; 0^0 = 1."""
    result = 1
    for _ in range(n):
        result = MUL[result][a]
    return result


def invert(matrix):
    """Inverse of a square matrix (list of rows) by Gauss-Jordan elimination; ValueError when it is singular."""
    size = len(matrix)
    work = [list(row) + [int(i == j) for j in range(size)] for i, row in enumerate(matrix)]
    for column in range(size):
        pivot = next((r for r in range(column, size) if work[r][column]), None)
        if pivot is None:
            raise ValueError("the matrix is singular")
        work[column], work[pivot] = work[pivot], work[column]
        scale = MUL[inv(work[column][column])]
        work[column] = [scale[x] for x in work[column]]
        for r in range(size):
            factor = work[r][column]
            if r != column and factor:
                table = MUL[factor]
                work[r] = [x ^ table[y] for x, y in zip(work[r], work[column])]
    return [row[size:] for row in work]


def product(a, b):
    """Matrix product."""
    columns = list(zip(*b))
    result = []
    for row in a:
        line = []
        for column in columns:
            total = 0
            for x, y in zip(row, column):
                total ^= MUL[x][y]
            line.append(total)
        result.append(line)
    return result
