# SPDX-License-Identifier: Apache-2.0
"""Probabilities in command lines: what is read, what is refused, and what becomes of it in the driver's formats."""

import errno
import math
from fractions import Fraction

import pytest

from sw.tests import firmware
from tests import seeds


def exact(decimal):
    return Fraction(decimal.mantissa) * Fraction(10) ** decimal.exponent


@pytest.fixture(scope="module")
def library():
    return firmware.library()[1]


def read(library, word):
    value = firmware.library()[0].new("struct decimal *", [7, -7])
    fault = library.words_probability(word.encode(), value)
    if fault:
        assert (value.mantissa, value.exponent) == (7, -7), "a refused word changed the value"
        return fault
    assert value.mantissa < 10**9 and -300 <= value.exponent <= 0
    assert value.mantissa % 10 or (value.mantissa, value.exponent) == (0, 0)
    return value


ACCEPTED = {
    "0": "0", "1": "1", "0.05": "0.05", "5e-2": "0.05", "5E-2": "0.05", "5%": "0.05", "1e-6": "1e-6", "100%": "1", "0%": "0", "0.0": "0",
    ".5": "0.5", "1.": "1", "1.000": "1", "00.25": "0.25", "0.5e0": "0.5", "0.5e+0": "0.5", "50e-2": "0.5", "0.005e1": "0.05",
    "12.5%": "0.125", "0.001%": "1e-5", "1e-300": "1e-300", "10e-301": "1e-300", "0e5": "0", "0e-999": "0", "0e99999999999999999999": "0",
    "0.123456789": "0.123456789", "0.1234567899": "0.123456789", "0.00000000000000000001": "1e-20", "1000e-3": "1", "0.1e1": "1",
    "99999999999e-11": "0.999999999", "1e-007": "1e-7", "100000000000000000000e-20": "1",
}  # fmt: skip
REFUSED = [
    "", ".", "%", "e-2", ".e1", "5e", "5e-", "5e+", "5e-2%", "5%e-2", "5%%", "-0", "-0.1", "+0.1", "0,5", "1/2", "0x1", "0.5.", "0..5",
    "1e-1.5", "0.5 ", " 0.5", "abc", "5p", "inf", "nan", "1e--2", "1e-+2", "0.a", "1f",
]  # fmt: skip
OUT_OF_RANGE = [
    "2", "1.1", "1.00000001", "10", "101%", "1e1", "1e300", "10e-0", "0.5e1", "99", "4294967296", "18446744073709551616", "1e-301",
    "1e-99999999999999999999", "0.1e-300", "1e99999999999999999999", "100.1%",
]  # fmt: skip


@pytest.mark.parametrize("word", ACCEPTED)
def test_accepted(library, word):
    assert exact(read(library, word)) == Fraction(ACCEPTED[word])


@pytest.mark.parametrize("word", REFUSED)
def test_refused(library, word):
    assert read(library, word) == -errno.EINVAL


@pytest.mark.parametrize("word", OUT_OF_RANGE)
def test_out_of_range(library, word):
    assert read(library, word) == -errno.ERANGE


def test_any_word_is_answered(library):
    """Random words of the characters that count: what Python takes for a number of this form is read as it reads it."""
    source = seeds.rng("words")
    read_well = 0
    for _ in range(20000):
        word = "".join(source.choices("0123456789..ee--+%", k=source.randrange(1, 9)))
        value = read(library, word)
        if isinstance(value, int):
            continue
        read_well += 1
        wanted = Fraction(word.rstrip("%")) / (100 if word.endswith("%") else 1)
        assert exact(value) == wanted, word
    assert read_well > 500


def test_linear_format(library):
    """p times 2^32, to the nearest, and 2^32 - 1 for 1."""
    source = seeds.rng("words")
    words = [*ACCEPTED, *(f"{source.randrange(1, 10**9)}e-{source.randrange(9, 22)}" for _ in range(2000))]
    for word in words:
        value = read(library, word)
        wanted = min(exact(value) * 2**32, 2**32 - 1)
        assert abs(library.probability_linear(value) - wanted) <= Fraction(1, 2), word


def test_logarithm(library):
    for word in ("1e-6", "0.05", "5%", "0.999999999", "1e-300", "2.5e-12"):
        value = read(library, word)
        found = library.arqlink_log2_decimal(value.mantissa, value.exponent) / 2**20
        assert found == pytest.approx(math.log2(value.mantissa) + value.exponent * math.log2(10), abs=2e-6), word


def test_three_digits_come_back(library):
    """What is printed is within half a unit of its third digit, and reads as what was set."""
    source = seeds.rng("probabilities")
    for p in [1, 2, 99, 2**31, 2**32 - 1, *(source.randrange(1, 2 ** source.randrange(1, 33)) for _ in range(2000))]:
        shown = library.probability_decimal(p)
        assert shown.mantissa < 1000 and abs(exact(shown) / Fraction(p, 2**32) - 1) <= Fraction(1, 200)
    for word in ("0", "1", "5e-2", "1.23e-3", "0.5", "1e-6"):
        value = read(library, word)
        assert exact(library.probability_decimal(library.probability_linear(value))) == exact(value)
