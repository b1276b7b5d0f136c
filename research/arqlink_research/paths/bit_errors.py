# SPDX-License-Identifier: Apache-2.0
"""From a uniform bit error rate to what is lost: bits are wrong independently, each with the same probability. A unit with a wrong bit is
erased, as its CRC shows; a packet without the link is lost. The one damaged unit in some 2^32 that passes its CRC is left out
(docs/integration.md, "Undetected errors")."""

import math
from dataclasses import replace

from arqlink.errors import UserError
from arqlink.model import loss
from arqlink.model.analytic import HEADER_BYTES, any_of

CONTROL_BYTES = 16
"""Payload of a control unit."""


def any_wrong(bit_error_rate, length, hops=1):
    """Probability that one of `length` bytes has a wrong bit, over `hops` lines with that rate each: 2 for an uplink and a downlink through a
    satellite that repairs nothing."""
    if not 0 <= bit_error_rate <= 1:
        raise UserError(f"The bit error rate is {bit_error_rate:g}; it must be 0 to 1.")
    if length < 1 or hops < 1:
        raise UserError(f"There are {length} bytes and {hops} hops; there must be one or more of both.")
    return any_of(bit_error_rate, 8 * length * hops)


def bit_error_rate_of(probability, length, hops=1):
    """The bit error rate at which `any_wrong` has this value."""
    if not 0 <= probability < 1:
        raise UserError(f"The probability is {probability:g}; it must be 0 or more, and below 1.")
    return -math.expm1(math.log1p(-probability) / (8 * length * hops))


def data_unit(bit_error_rate, unit_bytes, hops=1):
    """Erasure probability of a data unit with `unit_bytes` of payload: header and CRC are on the line, too."""
    return any_wrong(bit_error_rate, unit_bytes + HEADER_BYTES, hops)


def control_unit(bit_error_rate, hops=1):
    """Erasure probability of a control unit, which carries the link's feedback."""
    return any_wrong(bit_error_rate, CONTROL_BYTES + HEADER_BYTES, hops)


def packet(bit_error_rate, packet_bytes, hops=1):
    """Loss of a packet that crosses the line without this link: as in section V of Luglio et al., and in Peng et al."""
    return any_wrong(bit_error_rate, packet_bytes, hops)


def on_link(setup, bit_error_rate, hops=1):
    """A LinkSetup with these losses: of its data units, and of its feedback. Each is one process for all units of a direction, so that with data in
    both of them the loss of control units is that of data units."""
    data, control = data_unit(bit_error_rate, setup.unit_bytes, hops), control_unit(bit_error_rate, hops)
    return replace(setup, loss=loss.Bernoulli(data), feedback_loss=loss.Bernoulli(control))


def packet_over_link(setup, bit_error_rate, hops=1):
    """P: loss of a packet of the usual length over this link, after its code and retransmissions (RR-4752, eqs. 3 to 5)."""
    return on_link(setup, bit_error_rate, hops).model().packet_loss
