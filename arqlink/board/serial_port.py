# SPDX-License-Identifier: Apache-2.0
"""A serial port on which one side asks and the other answers, each wait being bounded."""

import re
import time

import serial

from arqlink.errors import UserError

BAUD = 115200
LOOK_S = 0.05
WRITE_S = 30
"""How long the other side may let a write wait; only a simulation ever does."""


class SerialPort:
    """An open serial port, simulated or real. Use it in a `with` statement. `patience` is how many seconds an answer may
    take; a simulated board is some 200 times slower than a real one."""

    def __init__(self, name, baud=BAUD, patience=5.0):
        self.name, self.patience = name, patience
        self._text = b""
        try:
            self._serial = serial.Serial(name, baud, timeout=LOOK_S, write_timeout=WRITE_S)
        except (OSError, ValueError) as error:
            raise UserError(f"The serial port {name} cannot be opened: {getattr(error, 'strerror', None) or error}.") from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._serial.close()

    def fileno(self):
        return self._serial.fileno()

    def write(self, data):
        try:
            self._serial.write(data)
        except serial.SerialTimeoutException:
            raise UserError(f"Nobody takes what is sent to {self.name}.") from None
        except OSError:
            raise self._closed() from None

    def read(self):
        """What has come; waits LOOK_S for the first byte."""
        try:
            data = self._serial.read(1)
            return data + (self._serial.read(self._serial.in_waiting) if data else b"")
        except OSError:
            raise self._closed() from None

    def rest(self):
        """What has come and was not matched; takes it away."""
        text, self._text = self._text, b""
        return text

    def expect(self, pattern, seconds=None):
        """Waits until the regular expression `pattern` (bytes; . takes line ends too, ^ is each line's start) matches, and
        takes all up to its end away. Returns the match, or None after `seconds`, by default `patience`."""
        expression = re.compile(pattern, re.DOTALL | re.MULTILINE)
        deadline = time.monotonic() + (self.patience if seconds is None else seconds)
        while not (match := expression.search(self._text)):
            if time.monotonic() > deadline:
                return None
            self._text += self.read()
        self._text = self._text[match.end() :]
        return match

    def _closed(self):
        return UserError(f"The other side of {self.name} has gone.")
