# SPDX-License-Identifier: Apache-2.0
"""Terminals on which the firmware of each end can be spoken to."""

import os
import tty


class Consoles:
    """One for each end, as long as it is entered. `files`: the sides of the ends; `ports`: names of the others, by end "A" and "B"."""

    def __enter__(self):
        pairs = [os.openpty() for _ in "AB"]
        self.files = tuple(pair[0] for pair in pairs)
        self._terminals = tuple(pair[1] for pair in pairs)  # held open, so that nobody who comes and goes ends them
        for terminal in self._terminals:
            tty.setraw(terminal)
        self.ports = {end: os.ttyname(terminal) for end, terminal in zip("AB", self._terminals)}
        return self

    def __exit__(self, *_):
        for file in (*self.files, *self._terminals):
            os.close(file)
