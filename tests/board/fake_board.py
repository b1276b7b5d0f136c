# SPDX-License-Identifier: Apache-2.0
"""A board on a pseudo-terminal that answers as a test wants it to."""

import os
import threading
import time
import tty
from contextlib import contextmanager


@contextmanager
def board(answer, first=b""):
    """Gives the name of a port. What comes in is passed to `answer(bytes)`, which returns what goes out, or None: the board
    is switched off. `first` is said as soon as the port may be open, for opening it drops what came before."""
    master, slave = os.openpty()
    tty.setraw(slave)

    def serve():
        try:
            if first:
                time.sleep(0.2)
                os.write(master, first)
            while (said := answer(os.read(master, 4096))) is not None:
                while said:
                    said = said[os.write(master, said) :]
        except OSError:  # the port has been closed
            pass
        os.close(master)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield os.ttyname(slave)
    finally:
        os.close(slave)
        thread.join(10)
        assert not thread.is_alive()


class Shell:
    """Speaks as the firmware does: echo, answer, OK or ERROR, prompt. `answers` has lines by command, an ERROR line among them
    ends an answer; a value of bytes goes out as it is."""

    def __init__(self, answers, before_echo=b""):
        self.answers, self.before_echo = answers, before_echo
        self.line = b""
        self.commands = []

    def __call__(self, data):
        out = b""
        for byte in data:
            if byte == 3:
                self.line = b""
                out += b"^C\r\n> "
            elif byte == 13:
                out += self.run(self.line.decode())
                self.line = b""
            else:
                self.line += bytes([byte])
        return out

    def run(self, command):
        self.commands.append(command)
        answer = self.answers.get(command, ["ERROR no such command, help shows them: 'x'"])
        echo = self.before_echo + command[:95].encode() + b"\r\n"
        if isinstance(answer, bytes):
            return echo + answer
        end = [] if answer and answer[-1].startswith("ERROR") else ["OK"]
        return echo + "".join(f"{line}\r\n" for line in [*answer, *end]).encode() + b"> "
