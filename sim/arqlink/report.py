# SPDX-License-Identifier: Apache-2.0
"""Prints results: tables for people, JSON for programs, and a progress bar on standard error."""

import json
import math
import time
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
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


def comparison(entries, title):
    """Table of measured values, their intervals and the analytic values."""
    table = Table(title=title, title_justify="left")
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


def _finite(data):
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data


@contextmanager
def progress_bar(label, delay=1.0):
    """Gives a function (done, total) that shows a bar on standard error once it has taken longer than `delay` s."""
    console = Console(stderr=True)
    bar = Progress(TextColumn(label), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(), console=console, transient=True)
    task, begun = bar.add_task(label, total=None), time.monotonic()

    def update(done, total):
        if not bar.live.is_started and console.is_terminal and time.monotonic() - begun > delay:
            bar.start()
        bar.update(task, completed=done, total=total)

    try:
        yield update
    finally:
        if bar.live.is_started:
            bar.stop()


@contextmanager
def busy(label):
    """Shows on standard error that something goes on whose length is not known."""
    console = Console(stderr=True)
    if console.is_terminal:
        with console.status(label):
            yield
    else:
        yield
