# SPDX-License-Identifier: Apache-2.0
"""Puts the header before a RAM image: `python3 image.py BODY IMAGE`. The boot loader's image.h describes it."""

import struct
import sys
import zlib
from pathlib import Path


def image(body):
    """The image of a body: at least 4 bytes, filled up to whole words."""
    body = body + bytes(-len(body) % 4)
    head = b"ARQI" + struct.pack("<II", len(body), zlib.crc32(body))
    return head + struct.pack("<I", zlib.crc32(head)) + body


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(image(Path(sys.argv[1]).read_bytes()))
