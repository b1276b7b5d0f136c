# SPDX-License-Identifier: Apache-2.0
"""Where the slowest paths of a placed target end, from nextpnr's detailed timing report."""

import json
import re

from rich.table import Table

from arqlink.errors import UserError

CELL = re.compile(r"_(TRELLIS_FF|SB_DFF\w*?)_Q.*|(\.\d+\.\d+)(_RAM)?$")
"""What Yosys and nextpnr add to a register's or a memory's name."""


def slowest(report, count):
    """The `count` slowest ends of paths from register to register, slowest first: (nanoseconds, register or memory, input). The time
    is until the signal is at the input; its setup comes on top. Bits of one register are one end, as slow as the slowest."""
    found = {}
    for net in report["detailed_net_timings"]:
        for end in net["endpoints"]:
            if not end["event"].startswith("posedge") or not net["event"].startswith("posedge"):
                continue
            place = CELL.sub("", end["cell"]), re.sub(r"\d+$", "", end["port"])
            found[place] = max(found.get(place, 0), end["delay"][1])
    ranked = sorted(((delay, *place) for place, delay in found.items()), key=lambda entry: (-entry[0], entry[1:]))
    return ranked[:count]


def table(target, seed, path, count):
    """Table of the slowest ends in the report at `path`; UserError where it has none."""
    report = json.loads(path.read_text()) if path.exists() else {}
    if "detailed_net_timings" not in report:
        earlier = f"There is no detailed report of target {target.name} with seed {seed}: its result is an earlier one."
        raise UserError(f"{earlier} Remove {path.parent} and run again.")
    rows = Table("ns", "register or memory", "input", title=f"Slowest ends of paths in {target.name}, seed {seed}", title_justify="left")
    for delay, cell, port in slowest(report, count):
        rows.add_row(f"{delay:.2f}", cell, port)
    return rows
