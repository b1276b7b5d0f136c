# SPDX-License-Identifier: Apache-2.0
"""The firmware's line shell (docs/firmware.md) as seen from the host. Nothing else here knows its prompt and its answers."""

import re

from arqlink.errors import UserError

CTRL_C = b"\x03"
PROMPT = rb"> "
LINE_CHARS = 95
"""What the shell takes; it echoes no more than that."""
RETRY_S = 1.0


class UartShell:
    """A firmware that is ready for commands. `port` is a SerialPort. Throws UserError if no shell answers."""

    def __init__(self, port):
        self.port = port
        self._wake()

    def _wake(self):
        """A board that starts does not hear yet, so this asks more than once. Ctrl-C drops a line that somebody had begun."""
        tries = max(round(self.port.patience / RETRY_S), 1)
        for _ in range(tries):
            self.port.write(CTRL_C)
            if self.port.expect(rb"(?:^|\n)" + PROMPT, RETRY_S):
                return
        raise UserError(f"No firmware answers on {self.port.name}.{self._said()}")

    def command(self, line):
        """Runs one command; returns the lines of its answer without the final OK. A UserError names what was wrong."""
        if not (line.isascii() and line.isprintable()):
            raise UserError(f"The command {line!r} has characters that the firmware does not take.")
        line = line.strip()
        if not line:
            return []
        self.port.write(line.encode() + b"\r")
        # What comes before the echo belongs to earlier commands.
        echo = re.escape(line[:LINE_CHARS].encode()) + rb"\r\n"
        found = self.port.expect(echo + rb"(.*?)^(OK|ERROR[^\r\n]*)\r\n" + PROMPT)
        if not found:
            raise UserError(f"The firmware did not answer '{line}' within {self.port.patience:g} s.{self._said()}")
        answer, result = (part.decode(errors="replace") for part in found.groups())
        lines = answer.splitlines()
        if result != "OK":
            raise UserError(". ".join([*lines, f"The firmware's answer to '{line}': {result}"]))
        return lines

    def values(self, line):
        """The answer of a command that prints a name and a value in each line, as a dict; numbers are int."""
        pairs = {}
        for text in self.command(line):
            name, _, value = text.partition(" ")
            if not name or not value:
                raise UserError(f"The firmware's answer to '{line}' has a line that is not understood: '{text}'.")
            pairs[name] = int(value) if value.isdigit() else value
        return pairs

    def _said(self):
        text = self.port.rest().decode(errors="replace").strip()
        return f" It said: {text[-200:]!r}." if text else ""
