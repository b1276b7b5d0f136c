# SPDX-License-Identifier: Apache-2.0
"""Puts a program into the soft system's RAM through its boot loader; docs/soc.md describes the download."""

import struct
import zlib

from arqlink import files
from arqlink.errors import UserError

HEADER = struct.Struct("<4sIII")
REQUEST = b"ARQD"
PIECE = 256
"""Bytes between two looks at how far it is."""
SILENCE_S = 1.0
"""A loader that has not said anything for so long may be waiting for a download, or for the end of one."""


def read_image(path):
    """The bytes of an image file whose header is good; the loader checks it again."""
    image = files.read(path)
    if len(image) < HEADER.size or image[:4] != b"ARQI":
        raise UserError(f"The file {path} is not an image of the soft system: it does not begin with ARQI.")
    _, length, body_crc, header_crc = HEADER.unpack_from(image)
    if zlib.crc32(image[: HEADER.size - 4]) != header_crc:
        raise UserError(f"The image {path} has a damaged header.")
    body = image[HEADER.size :]
    if len(body) != length or zlib.crc32(body) != body_crc:
        raise UserError(f"The image {path} is damaged: its body is not what its header says.")
    return image


def download(port, image, progress=None, in_reset=False):
    """Sends `image` over `port`, a SerialPort, and returns when the loader has started it. `in_reset`: the board is only
    about to start, and hears at once; otherwise it is asked when it says that it boots, or when it is silent.
    `progress(done, total)` counts bytes."""
    _ask(port, in_reset)
    port.write(image[: HEADER.size])
    _confirm(port, b"GO")
    for begin in range(HEADER.size, len(image), PIECE):
        port.write(image[begin : begin + PIECE])
        if progress:
            progress(min(begin + PIECE, len(image)), len(image))
    _confirm(port, b"OK")


def _ask(port, in_reset):
    if in_reset:
        port.write(REQUEST)
        if port.expect(rb"READY\r\n"):
            return
    else:
        tries = max(round(port.patience / SILENCE_S), 1)
        for _ in range(tries):
            said = port.expect(rb"READY\r\n|arqlink boot\r\n", SILENCE_S)
            if said and said[0].startswith(b"READY"):
                return
            port.write(REQUEST)
    raise UserError(f"No boot loader answers on {port.name}; reset the board while this command waits.")


def _confirm(port, word):
    said = port.expect(rb"^(" + word + rb"|ERROR[^\r\n]*)\r\n")
    if not said:
        raise UserError(f"The boot loader on {port.name} did not go on with the download.")
    if said[1] != word:
        raise UserError(f"The boot loader refused the image: {said[1].decode(errors='replace')}.")
