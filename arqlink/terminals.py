# SPDX-License-Identifier: Apache-2.0
"""Terminals that programs open by their names, as they open serial ports."""

import os
import tty


def raw_pair():
    """(leader, terminal, name): open files of both sides, and the terminal's name. It passes bytes as they are, and lives as long as `terminal` is open,
    whoever comes and goes."""
    leader, terminal = os.openpty()
    tty.setraw(terminal)
    return leader, terminal, os.ttyname(terminal)
