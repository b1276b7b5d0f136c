# SPDX-License-Identifier: Apache-2.0
"""Bit errors: what they erase, in exact arithmetic, with units of the golden model, and over the link."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from arqlink.errors import UserError
from arqlink.model import intervals
from arqlink.model.link_setup import LinkSetup
from arqlink_research.paths import bit_errors
from cocotb_tests.model.units import ControlUnit, DataUnit, Rejected, parse
from tests import seeds


def exact(rate, bits):
    return float(1 - (1 - Fraction(rate)) ** bits)


@pytest.mark.parametrize("rate", [1e-3, 1e-6, 1e-8, 1e-15])
def test_exact_values(rate):
    """Also where 1 - (1 - b)^n in floating point has no correct digit."""
    assert bit_errors.data_unit(rate, 25) == pytest.approx(exact(rate, 8 * 41), rel=1e-12)
    assert bit_errors.control_unit(rate) == pytest.approx(exact(rate, 8 * 32), rel=1e-12)
    assert bit_errors.packet(rate, 1500, hops=2) == pytest.approx(exact(rate, 2 * 8 * 1500), rel=1e-12)


def test_packets_of_the_papers():
    """1500 bytes at 1e-6, 1e-7 and 1e-8 (Luglio et al.): 1.2 %, 0.12 % and 0.012 % on each of uplink and downlink."""
    assert [bit_errors.packet(rate, 1500) for rate in (1e-6, 1e-7, 1e-8)] == pytest.approx([0.011928, 0.0011993, 0.00011999], rel=1e-4)


@pytest.mark.parametrize("unit", [DataUnit(0, True, True, 7, 4, 6, 1, 0, 5, 9, bytes(range(25))), ControlUnit(7)], ids=["data", "control"])
def test_units_of_the_wire_format(unit):
    """Bits are flipped in a unit as it is on the wire, and the golden model judges it: within an exact 99.9 % interval, and one of a unit with a tenth
    more or less bits is outside."""
    random, wire, rate, trials, erased = seeds.generator("bits"), unit.build(), 2e-3, 20_000, 0
    for _ in range(trials):
        wrong = np.packbits(random.random(8 * len(wire)) < rate)
        try:
            parse(bytes(np.frombuffer(wire, np.uint8) ^ wrong), 25)
        except Rejected:
            erased += 1
    interval = intervals.clopper_pearson(erased, trials)
    stated = bit_errors.data_unit(rate, 25) if isinstance(unit, DataUnit) else bit_errors.control_unit(rate)
    assert interval.contains(stated)
    assert not any(interval.contains(exact(rate, bits)) for bits in (round(7.2 * len(wire)), round(8.8 * len(wire))))


def test_the_rate_of_a_probability():
    assert bit_errors.bit_error_rate_of(bit_errors.any_wrong(3e-7, 41, 2), 41, 2) == pytest.approx(3e-7, rel=1e-12)
    assert bit_errors.bit_error_rate_of(0, 41) == 0


def test_packets_over_the_link():
    """Without code and retransmissions a packet is lost as its units are; the link mends nearly all of it."""
    setup = LinkSetup(k=10, n=10, delta=0, packet_bytes=1500)
    bare = bit_errors.packet_over_link(setup, 1e-5)
    assert bare == pytest.approx(exact(1e-5, 60 * 8 * 41), rel=1e-9)
    mended = bit_errors.packet_over_link(replace(setup, n=11, nr=11, delta=2.0), 1e-5)
    assert mended < 1e-8 < bit_errors.packet(1e-5, 1500) < bare
    lossy = bit_errors.on_link(setup, 1e-5, hops=2)
    assert (lossy.loss.mean(), lossy.feedback_loss.mean()) == (bit_errors.data_unit(1e-5, 25, 2), bit_errors.control_unit(1e-5, 2))


@pytest.mark.parametrize("rate, length, hops, message", [(-0.1, 1, 1, "-0.1; it must be"), (1.1, 1, 1, "1.1"), (0.1, 0, 1, "0 bytes"), (0.1, 1, 0, "0 hops")])
def test_what_is_none(rate, length, hops, message):
    with pytest.raises(UserError, match=message):
        bit_errors.any_wrong(rate, length, hops)
    with pytest.raises(UserError, match="The probability is 1"):
        bit_errors.bit_error_rate_of(1, 10)
