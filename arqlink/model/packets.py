# SPDX-License-Identifier: Apache-2.0
"""Lengths of packets as a user writes them: one, or the mix of the Internet."""

from arqlink.errors import UserError

IMIX = {40: 7, 576: 4, 1500: 1}
"""Of twelve packets so many have these bytes: the simple IMIX, 7:4:1."""
SYNTAX = "BYTES|imix"


def parse(text):
    """Bytes -> number of packets."""
    text = str(text).strip().lower()
    if text == "imix":
        return dict(IMIX)
    if text.isascii() and text.isdigit() and int(text) > 0:
        return {int(text): 1}
    raise UserError(f"The packets are '{text}'; write {SYNTAX}.")
