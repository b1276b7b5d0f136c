# SPDX-License-Identifier: Apache-2.0
"""Files with two numbers of clocks on each line, which the simulators read (sim/link/README.md, "Tables of clocks")."""

import math

from arqlink import files
from arqlink.errors import UserError


def check_rate(clock_hz):
    if not 0 < clock_hz < math.inf:
        raise UserError(f"The clock rate is {clock_hz:g} Hz; it must be above 0.")


def write(path, title, rows, cycle=0):
    """`title` says what the two numbers of a row are. `cycle`: clocks after which the table begins again; 0: never."""
    lines = [f"# {title}", *([f"cycle {cycle}"] if cycle else []), *(f"{first} {second}" for first, second in rows)]
    files.write(path, "".join(f"{line}\n" for line in lines).encode())
