# SPDX-License-Identifier: Apache-2.0
"""How large a capture of the units on the PHY will be; docs/wireshark.md has the format, sim/end writes it."""

from arqlink.errors import UserError
from arqlink.model.analytic import HEADER_BYTES

MOST_BYTES = 1 << 30
"""Wireshark reads some 10,000 units a second, so this much takes it twenty minutes."""
RECORD_BYTES = 44
"""Around a unit: block, flags, pseudo header."""
CONTROL_BYTES = RECORD_BYTES + 32


def expected_bytes(setup, model, frames):
    """Size of a capture of so many frames, by the analytic model: their units, and a control unit for each transmission."""
    units = model.units_per_frame * (RECORD_BYTES + setup.unit_bytes + HEADER_BYTES)
    return frames * (units + model.mean_transmissions * CONTROL_BYTES)


def check(setup, model, frames):
    """Refuses a run of `frames` frames whose capture would be too large to be of use."""
    size = expected_bytes(setup, model, frames)
    if size > MOST_BYTES:
        fewer = int(frames * MOST_BYTES / size)
        raise UserError(
            f"The capture would have about {size / 2**30:.3g} GiB, and --pcap-phy writes up to {MOST_BYTES >> 30} GiB: that is {fewer} frames of this link."
        )
