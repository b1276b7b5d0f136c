# SPDX-License-Identifier: Apache-2.0
"""`make figures-link`: pictures of the link from runs of the RTL, kept as CSV in docs/figures/link, and drawn from that alone.

Each module is a picture, or several of the same runs: `measure()` runs the RTL and returns the text of NAME.csv, `PICTURES` has for each SVG
a function of this text.
"""

import csv
import io
from typing import Any

from arqlink import tree

FOLDER = tree.ROOT / "docs" / "figures" / "link"


def read_csv(text) -> list[dict[str, Any]]:
    """Rows as dictionaries; what is a number becomes one."""
    return [{name: _number(cell) for name, cell in row.items()} for row in csv.DictReader(io.StringIO(text))]


def _number(cell):
    try:
        return float(cell)
    except ValueError:
        return cell
