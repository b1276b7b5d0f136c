# SPDX-License-Identifier: Apache-2.0
"""The first table of docs/statistics.md, from the commands that it names."""

import json
import math
import shlex
import subprocess
import sys

from arqlink import tree
from arqlink.bench import made_from
from arqlink.bench.documents import markdown, replaced
from arqlink.errors import UserError
from arqlink.report.tables import LABELS

MARKS = "make figures-link"
PAGE = tree.ROOT / "docs" / "statistics.md"
COMMON = "--config paper8 --frames 1e5"
ROWS = {
    "--n 11 --delta 0": "FEC alone, p = 0.01",
    "--n 10 --delta 3": "ARQ alone, p = 0.01",
    "--n 11 --delta 1 --loss 0.05": "hybrid",
    "--n 10 --nr 12 --delta 2 --loss 0.05": "FEC for retransmissions only",
    "--n 12 --loss 0.05 --feedback-loss 0.2": "δ infinite",
    "--config default --frames 2e4 --rate-mbps 20 --loss 0.05": "δ infinite",
}
"""Options behind those of COMMON, and what they are."""
VALUES = ("p_t", "p_f", "packet_loss", "alpha", "utilization")


def fingerprint():
    """Of what the table is made from."""
    return made_from.fingerprint(("paper8", "default"), json.dumps([COMMON, list(ROWS)]))


def report(options):
    """What `arqlink stats` prints as JSON."""
    words = [sys.executable, "-m", "arqlink", "stats", *shlex.split(COMMON), *shlex.split(options), "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UserError(done.stderr.strip().splitlines()[-1])
    return json.loads(done.stdout)


def cells(options, found):
    """A row of the table: measured / model. Refuses a model that is outside of the interval, as the text says that none is."""
    values = []
    for name in VALUES:
        entry = found[name]
        if not entry["low"] * (1 - 1e-9) <= entry["model"] <= entry["high"] * (1 + 1e-9):
            raise UserError(f"{name} of '{options}' is {entry['model']} by the model, outside of {entry['low']} to {entry['high']}.")
        values.append(f"{entry['measured']:.4g} / {entry['model']:.4g}")
    return [f"`{options}` ({ROWS[options]})", *values]


def lines(reports):
    """The table, and below it the least share of clocks in which the PHY was busy, rounded down."""
    table = markdown([f"`arqlink stats {COMMON} …`", *(LABELS[name] for name in VALUES)], [cells(options, found) for options, found in reports.items()])
    least = math.floor(1e4 * min(found["line_use"] for found in reports.values())) / 100
    return [*table, "", f"In all of them the PHY carried a beat in more than {least} % of the clocks (`line_use` of `--json`)."]


def write():
    """Runs the commands, and writes the table."""
    PAGE.write_text(replaced(PAGE.read_text(), MARKS, lines({options: report(options) for options in ROWS})))
    made_from.record(PAGE.name, fingerprint())
