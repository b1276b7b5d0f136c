# SPDX-License-Identifier: Apache-2.0
"""Downloads: images that are refused before anything is sent, and boot loaders of all kinds."""

import struct
import zlib

import pytest

from arqlink.board import boot_loader
from arqlink.board.serial_port import SerialPort
from arqlink.errors import UserError
from tests.board import fake_board


def image(body=bytes(range(256)) * 4):
    head = b"ARQI" + struct.pack("<II", len(body), zlib.crc32(body))
    return head + struct.pack("<I", zlib.crc32(head)) + body


class Loader:
    """Takes one download as docs/soc.md has it; `boot` is said before, `refusal` in place of GO or OK."""

    def __init__(self, size, go=b"GO", ok=b"OK", hears_after=0):
        self.size, self.go, self.ok, self.hears_after = size, go, ok, hears_after
        self.received, self.ready = b"", False

    def __call__(self, data):
        if not self.ready:
            if self.hears_after:
                self.hears_after -= 1
                return b""
            if b"ARQD" not in data:
                return b""
            self.ready = True
            return b"READY\r\n"
        before, self.received = len(self.received), self.received + data
        out = b""
        if before < 16 <= len(self.received):
            out += self.go + b"\r\n"
        if before < self.size <= len(self.received):
            out += self.ok + b"\r\n"
        return out


def test_a_download():
    whole = image()
    loader, seen = Loader(len(whole)), []
    with fake_board.board(loader, first=b"garbage\r\narqlink boot\r\n") as name, SerialPort(name) as port:
        boot_loader.download(port, whole, lambda done, total: seen.append((done, total)))
    assert loader.received == whole
    assert seen == sorted(seen) and seen[-1] == (len(whole), len(whole)) and len(seen) > 2


def test_a_board_in_reset_and_one_that_is_silent(monkeypatch):
    monkeypatch.setattr(boot_loader, "SILENCE_S", 0.2)
    for in_reset, deaf in ((True, 0), (False, 2)):
        loader = Loader(len(image()), hears_after=deaf)
        with fake_board.board(loader) as name, SerialPort(name) as port:
            boot_loader.download(port, image(), in_reset=in_reset)
        assert loader.received == image()


@pytest.mark.parametrize("loader, words", [
    (Loader(0, go=b"ERROR length"), "refused the image: ERROR length"),
    (Loader(len(image()), ok=b"ERROR body CRC"), "ERROR body CRC"),
    (Loader(len(image()), ok=b"hello"), "did not go on"),
    (lambda _: b"", "No boot loader answers"),
])  # fmt: skip
def test_a_loader_that_refuses(loader, words, monkeypatch):
    monkeypatch.setattr(boot_loader, "SILENCE_S", 0.2)
    with fake_board.board(loader) as name, SerialPort(name, patience=0.5) as port, pytest.raises(UserError, match=words):
        boot_loader.download(port, image())


def damaged(at):
    whole = bytearray(image())
    whole[at] ^= 1
    return bytes(whole)


@pytest.mark.parametrize("content, words", [
    (b"ARQI", "not an image"), (damaged(0), "not an image"), (damaged(5), "damaged header"), (damaged(13), "damaged header"),
    (damaged(100), "body"), (image()[:-1], "body"), (image() + b"x", "body"), (None, "cannot be read"),
])  # fmt: skip
def test_an_image_that_is_none(arqlink, tmp_path, content, words):
    """It is refused before any port is opened."""
    path = tmp_path / "x.img"
    if content is not None:
        path.write_bytes(content)
    code, out, err = arqlink("console", "missing", "--download", path)
    assert code == 2 and not out and words in err
