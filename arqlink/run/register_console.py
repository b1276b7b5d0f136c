# SPDX-License-Identifier: Apache-2.0
"""A pair of links that is steered by its registers alone, in a simulator of its own: sim/pair/README.md, "Registers"."""

import subprocess

from arqlink.errors import UserError


class RegisterConsole:
    """A Verilated pair just after its reset. Between two calls no time passes. Use it in a `with` statement."""

    def __init__(self, program):
        self._process = subprocess.Popen([str(program), "--registers"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdin and self._process.stdout
        self._commands, self._answers = self._process.stdin, self._process.stdout
        self.clock = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._commands.close()
        self._answers.close()
        self._process.wait()

    def _ask(self, line):
        try:
            self._commands.write(f"{line}\n")
            self._commands.flush()
        except BrokenPipeError:
            pass
        if not (answer := self._answers.readline()):
            raise UserError(f"The simulator ended at '{line}'; its reason is above.")
        return answer.strip()

    def read(self, address):
        """Value of a 32-bit register."""
        return int(self._ask(f"read {address}"))

    def write(self, address, value):
        self._ask(f"write {address} {value}")

    def run(self, clocks):
        """Lets `clocks` pass; `clock` is that of the simulation then, in which accesses take time too."""
        self.clock = int(self._ask(f"run {clocks}"))
