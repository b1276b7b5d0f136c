# SPDX-License-Identifier: Apache-2.0
"""Terminals on which the firmware of each end can be spoken to."""

import os

from arqlink import terminals


class Consoles:
    """One for each end, as long as it is entered. `files`: the sides of the ends; `ports`: names of the others, by end "A" and "B"."""

    def __enter__(self):
        self.files, self._terminals, names = zip(*(terminals.raw_pair() for _ in "AB"))
        self.ports = dict(zip("AB", names))
        return self

    def __exit__(self, *_):
        for file in (*self.files, *self._terminals):
            os.close(file)
