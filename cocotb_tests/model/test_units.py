# SPDX-License-Identifier: Apache-2.0
"""The wire format against hand-written bytes, and what is refused."""

import zlib
from dataclasses import replace

import pytest

from cocotb_tests.model.units import SN, ControlUnit, DataUnit, Rejected, crc32c, distance, hidden_damage, parse, unwrap
from tests import seeds


def sealed(body):
    return body + zlib.crc32(body).to_bytes(4, "little")


DATA = DataUnit(1, True, False, 0xE7, 10, 14, 13, 0x123, 0xABCDE, 0x12345, bytes(range(8)), odd=True, link=1)
# version 3, type 0, odd, link 1 | epoch | K - 1 | end | number | preset 1, sop, pad | FSN, TSN
DATA_BYTES = sealed(bytes.fromhex("c5 e7 09 0e 0d 61 23 ab cd e1 23 45") + bytes(range(8)))
CONTROL = ControlUnit(0x21, False, True, True, False, 0x43, 0x0ABCDE, 0x11111, 0x22222, 0x33333, 0x44444, 0x55560, 1 << 63 | 2)
CONTROL_BYTES = sealed(bytes.fromhex("d0 21 06 43 0a bc de 11 11 12 22 22 33 33 34 44 44 55 56 00 80 00 00 00 00 00 00 02"))


def control(raw):
    unit = parse(raw, 8)
    assert isinstance(unit, ControlUnit)
    return unit


def payload(raw):
    unit = parse(raw, 8, link=DATA.link)
    assert isinstance(unit, DataUnit)
    return unit.payload


def test_layout():
    assert DATA.build() == DATA_BYTES
    assert CONTROL.build() == CONTROL_BYTES
    assert parse(CONTROL_BYTES, 8) == CONTROL
    assert replace(DATA, last_try=True).build() == changed(DATA_BYTES, 0, 0xE5)
    assert replace(DATA, last_try=True, all_below=True).build() == changed(DATA_BYTES, 0, 0xF5)
    assert replace(DATA, several=True, odd=False, link=0).build() == changed(DATA_BYTES, 0, 0xC8)
    assert replace(DATA, fresh=True, k=128).build() == changed(DATA_BYTES, 2, 0xFF)
    assert replace(DATA, sop=False, eop=True, preset=2).build() == changed(DATA_BYTES, 5, 0x91)
    assert replace(CONTROL, link=3).build() == changed(CONTROL_BYTES, 0, 0xD3)
    assert replace(CONTROL, deaf=True).build() == changed(CONTROL_BYTES, 2, 0x16)
    assert control(changed(CONTROL_BYTES, 2, 0x16)).deaf
    assert replace(CONTROL, abandons=True).build() == changed(CONTROL_BYTES, 2, 0x26)
    assert control(changed(CONTROL_BYTES, 2, 0x26)).abandons and not CONTROL.abandons
    assert len(CONTROL_BYTES) == 32
    assert (CONTROL.ack_tsn, CONTROL.window_log2, CONTROL.unit_bytes) == (0xABCDE, 0x0A, 0xBCDE)
    hello = control(ControlUnit(0, hello=True, param=0x920123).build())
    assert (hello.packet_crc, hello.window_log2, hello.unit_bytes) == (True, 18, 0x123)


def test_the_crc_of_packets_is_another_one():
    """Check value of CRC-32C. Damage to a payload that the unit's CRC does not see changes that of the packet."""
    assert crc32c(b"123456789") == 0xE3069283
    raw = replace(DATA, pad=0).build()
    for at in range(8 * len(DATA.payload) - 33):
        damaged = hidden_damage(raw, 8 * 12 + at)
        assert damaged != raw and payload(damaged) != DATA.payload
        assert zlib.crc32(payload(damaged)) == zlib.crc32(DATA.payload)
        assert crc32c(payload(damaged)) != crc32c(DATA.payload)


def test_hello_shows_whether_packets_have_a_crc():
    hello = replace(CONTROL, hello=True, param=1 << 23 | 10 << 16 | 64)
    assert (hello.packet_crc, hello.window_log2, hello.unit_bytes) == (True, 10, 64)
    assert not replace(hello, param=10 << 16 | 64).packet_crc


def test_random_units_survive():
    rng = seeds.rng("units")
    for _ in range(300):
        k = rng.randint(1, 16)
        n = k + rng.randint(0, 8)
        unit = DataUnit(
            rng.randrange(3), rng.random() < 0.5, rng.random() < 0.5, rng.randrange(256), k, n, rng.randrange(n),
            rng.randrange(25), rng.randrange(SN), rng.randrange(SN), rng.randbytes(25), *rng.choice([(False, False), (True, False), (True, True)]),
            odd=rng.random() < 0.5, link=2,
        )  # fmt: skip
        assert parse(unit.build(), 25, 16, 8, link=2) == unit


def changed(raw, at, value):
    body = bytearray(raw[:-4])
    body[at] = value
    return sealed(bytes(body))


GOOD = DataUnit(0, True, True, 0, 4, 6, 0, 0, 0, 0, bytes(8)).build()
HELLO = ControlUnit(0, hello=True).build()
BAD = [
    (GOOD, True, "rx_erased_flag"),
    (GOOD[:-1], False, "rx_erased_length"),
    (GOOD + b"\0", False, "rx_erased_length"),
    (b"", False, "rx_erased_length"),
    (bytes([0xF0]) * 8, False, "rx_erased_length"),
    (b"\xc0", False, "rx_erased_length"),
    (changed(GOOD, 0, 0xC1), True, "rx_erased_flag"),
    (changed(GOOD, 0, 0xC1), False, "rx_units_other_link"),
    (changed(HELLO, 0, 0xD2), False, "rx_units_other_link"),
    (sealed(bytes([0xC1, 2])), False, "rx_units_other_link"),
    (sealed(bytes([0x01, 2])), False, "rx_erased_length"),
    (changed(GOOD, 0, 0x81), False, "rx_bad_header"),
    (changed(GOOD, 0, 0xC1)[:-1] + b"\0", False, "rx_erased_crc"),
    (HELLO[:-4], False, "rx_erased_length"),
    (GOOD[:-1] + bytes([GOOD[-1] ^ 1]), False, "rx_erased_crc"),
    (changed(GOOD, 0, 0x80), False, "rx_bad_header"),
    (changed(GOOD, 0, 0xC8), False, "rx_bad_header"),
    (changed(GOOD, 2, 0x83), False, "rx_bad_header"),
    (changed(GOOD, 2, 16), False, "rx_bad_header"),
    (changed(GOOD, 5, 0xF0), False, "rx_bad_header"),
    (changed(GOOD, 3, 3), False, "rx_bad_header"),
    (changed(GOOD, 3, 13), False, "rx_bad_header"),
    (changed(GOOD, 4, 6), False, "rx_bad_header"),
    (changed(GOOD, 6, 8), False, "rx_bad_header"),
    (changed(HELLO, 0, 0xD4), False, "rx_bad_header"),
    (changed(HELLO, 0, 0xD8), False, "rx_bad_header"),
    (changed(HELLO, 2, 0x41), False, "rx_bad_header"),
    (changed(HELLO, 2, 0x81), False, "rx_bad_header"),
    (changed(HELLO, 19, 1), False, "rx_bad_header"),
    (changed(HELLO, 19, 0x10), False, "rx_bad_header"),
    (changed(HELLO, 18, 1), False, "rx_bad_header"),
]


@pytest.mark.parametrize("raw,erased,counter", BAD)
def test_refused(raw, erased, counter):
    with pytest.raises(Rejected) as caught:
        parse(raw, 8, 16, 8, erased)
    assert caught.value.counter == counter


@pytest.mark.parametrize("unit", [GOOD, HELLO])
def test_only_another_version_is_a_mismatch(unit):
    for version in (0, 1, 2):
        with pytest.raises(Rejected) as caught:
            parse(changed(unit, 0, unit[0] & 0x3F | version << 6), 8)
        assert caught.value.counter == "rx_bad_header" and caught.value.mismatch
    with pytest.raises(Rejected) as caught:
        parse(changed(HELLO, 19, 1), 8)
    assert not caught.value.mismatch


def test_sequence_arithmetic():
    assert distance(0, SN - 1) == 1
    assert distance(SN - 1, 0) == -1
    assert unwrap(3, 5 * SN - 2) == 5 * SN + 3
    assert unwrap(SN - 2, 5 * SN + 3) == 5 * SN - 2
