# SPDX-License-Identifier: Apache-2.0
"""Joins the user's terminal to a serial port, byte for byte."""

import os
import select
import termios
import tty
from contextlib import contextmanager

END_KEYS = {0x1D: "Ctrl-]", 0x04: "Ctrl-D"}


@contextmanager
def _raw(terminal):
    """Each key goes to the firmware as it is, Ctrl-C too."""
    before = termios.tcgetattr(terminal)
    try:
        tty.setraw(terminal)
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def join(port, keyboard, screen):
    """Carries keys from the file descriptor `keyboard`, a terminal, to `port`, a SerialPort, and its answers to the
    descriptor `screen`, until one of END_KEYS or the end of the terminal."""
    with _raw(keyboard):
        os.write(screen, port.rest())
        while True:
            ready, _, _ = select.select([keyboard, port], [], [])
            if port in ready:
                os.write(screen, port.read())
            if keyboard in ready:
                keys = os.read(keyboard, 1024)
                ends = [i for i, key in enumerate(keys) if key in END_KEYS]
                if keys[: ends[0] if ends else None]:
                    port.write(keys[: ends[0] if ends else None])
                if ends or not keys:
                    return
