# SPDX-License-Identifier: Apache-2.0
"""Prints results: tables for people, JSON for programs."""

import csv
import io
import json
import math

from rich.table import Table

LABELS = {
    "p_t": "failed transmissions P_T",
    "p_f": "abandoned frames P_F",
    "packet_loss": "lost packets P",
    "mean_transmissions": "transmissions per frame",
    "alpha": "useful share α",
    "utilization": "utilization",
    "utilization_with_header": "utilization with headers",
}


def number(value, digits=6):
    """A value in at most so many digits; a dash where there is none."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    return f"{value:.{digits}g}"


def comparison(entries, title, caption=None):
    """Table of measured values, their intervals and the analytic values."""
    table = Table(title=title, title_justify="left", caption=caption, caption_justify="left")
    table.add_column("")
    for heading in ("measured", "low", "high", "model"):
        table.add_column(heading, justify="right")
    for key, label in LABELS.items():
        if key in entries:
            entry = entries[key]
            table.add_row(label, *(number(entry[c]) for c in ("measured", "low", "high", "model")))
    for name, entry in entries.get("delay_ms", {}).items():
        table.add_row(f"delay, {name} (ms)", number(entry["measured"]), "", "", number(entry["model"]))
    return table


def csv_text(columns, rows):
    """Text of a CSV file; numbers have five digits, and what is not there an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if cell is None else f"{cell:.5g}" if isinstance(cell, float) else cell for cell in row] for row in rows)
    return text.getvalue()


def markdown(headings, rows):
    """A table of a document, as lines."""
    return [f"| {' | '.join(map(str, cells))} |" for cells in (headings, ["---"] * len(headings), *rows)]


def counter_table(counters):
    """Table of the counters of both ends that are not 0."""
    table = Table(title="Counters", title_justify="left")
    table.add_column("")
    for end in counters:
        table.add_column(end.upper(), justify="right")
    for name in next(iter(counters.values())):
        values = [counters[end][name] for end in counters]
        if any(values):
            table.add_row(name, *map(str, values))
    return table


def ranges(numbers):
    """Ascending whole numbers as text: 1, 4-7, 9."""
    parts, first, last = [], None, None
    for value in [*numbers, None]:
        if last is not None and value == last + 1:
            last = value
            continue
        if last is not None:
            parts.append(str(first) if first == last else f"{first}-{last}")
        first = last = value
    return ", ".join(parts)


def print_json(data):
    """JSON has no infinity, so those become null."""
    print(json.dumps(_finite(data), indent=2, allow_nan=False))


def json_line(data):
    """The same on one line, as text."""
    return json.dumps(_finite(data), allow_nan=False)


def _finite(data):
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data
