# SPDX-License-Identifier: Apache-2.0
"""Shares of a file: a header that says what a share is, and its units. Nothing else is needed to restore the file, whatever shares are named.

The header, 96 bytes, little-endian:

    0   8   "ARQSHARE"
    8   1   format version, 1
    9   1   preset: 0 zfec, 1 rfc5510, 2 cauchy
    10  1   k: shares that restore the file
    11  1   n: shares in all
    12  1   index of this share, from 0; the first k hold the file itself
    13  3   0
    16  8   bytes in a unit
    24  8   bytes in the file
    32  32  SHA-256 of the file
    64  32  SHA-256 of the 64 bytes before, and of the units
"""

import hashlib
import struct
from dataclasses import dataclass

from arqlink.errors import UserError
from arqlink.files import SHARE
from arqlink.model.link_setup import PRESETS

MAGIC, VERSION = SHARE, 1
FIELDS = struct.Struct("<8s5B3xQQ32s")
HEADER_BYTES = FIELDS.size + hashlib.sha256().digest_size


@dataclass(frozen=True)
class Encoding:
    """What all shares of a file have in common; `sha256` is the file's."""

    preset: str
    k: int
    n: int
    unit: int
    size: int
    sha256: bytes

    @property
    def share_bytes(self):
        """Length of a share without its header: whole units, as many as the file has stripes of k units."""
        return -(-self.size // (self.k * self.unit)) * self.unit


def pack(encoding, index, units):
    """A share as it is written; `units` are its bytes."""
    e = encoding
    fields = FIELDS.pack(MAGIC, VERSION, PRESETS.index(e.preset), e.k, e.n, index, e.unit, e.size, e.sha256)
    return fields + hashlib.sha256(fields + units).digest() + units


def unpack(content):
    """(Encoding, index, units) of the bytes of a share. UserError where they are none; its text goes on from the share's name."""
    if content[: len(MAGIC)] != MAGIC:
        raise UserError("is no share: it does not begin with a share's header")
    if len(content) > len(MAGIC) and content[len(MAGIC)] != VERSION:
        raise UserError(f"has share format {content[len(MAGIC)]}, and this program reads {VERSION}")
    fields, digest, units = content[: FIELDS.size], content[FIELDS.size : HEADER_BYTES], content[HEADER_BYTES:]
    if len(content) < HEADER_BYTES or hashlib.sha256(fields + units).digest() != digest:
        raise UserError("is damaged: its SHA-256 is another")
    _, _, preset, k, n, index, unit, size, sha256 = FIELDS.unpack(fields)
    possible = preset < len(PRESETS) and 1 <= k <= n and index < n and unit
    encoding = Encoding(PRESETS[preset], k, n, unit, size, sha256) if possible else None
    if encoding is None or len(units) != encoding.share_bytes:
        raise UserError("contradicts itself")
    return encoding, index, units


def choose(contents):
    """Which shares restore a file: of `contents`, pairs of a name and bytes, (Encoding, units by index, sentences about those that are of no use).
    Where no file can be restored, or more than one, they are refused by name."""
    files, useless = {}, []
    for name, content in contents:
        try:
            encoding, index, units = unpack(content)
        except UserError as error:
            useless.append(f"{name} {error}")
            continue
        shares = files.setdefault(encoding, {})
        if index in shares:
            other, _ = shares[index]
            useless.append(f"{name} is given twice" if name == other else f"{name} is share {index}, as {other} is")
        else:
            shares[index] = name, units
    if not files:
        raise UserError("; ".join(["No share can be used", *useless]) + ".")
    first, *others = sorted(files, key=lambda encoding: len(files[encoding]) - encoding.k, reverse=True)
    names = {encoding: [name for name, _ in shares.values()] for encoding, shares in files.items()}
    if any(len(files[encoding]) >= encoding.k for encoding in others):
        raise UserError(f"The shares are of more than one file: {names[first][0]} and {names[others[0]][0]} are of different ones.")
    useless += [f"{name} is of another file" for encoding in others for name in names[encoding]]
    if len(files[first]) < first.k:
        raise UserError("; ".join([f"{first.k} shares of a file are needed, and {len(files[first])} can be used", *useless]) + ".")
    return first, {index: units for index, (_, units) in files[first].items()}, [f"{sentence}; it is left out." for sentence in useless]
