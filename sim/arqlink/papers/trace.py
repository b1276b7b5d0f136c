# SPDX-License-Identifier: Apache-2.0
"""A figure of congestion windows over time, of one run."""

import csv
import io
from dataclasses import dataclass

from arqlink.tcp import measurement
from arqlink.tcp import point as points

EVERY = 0.5
"""Seconds between two samples."""


@dataclass(frozen=True)
class Trace:
    name: str
    number: str
    title: str
    settings: dict
    seed: int = 1

    def csv(self):
        """Simulates it: time in s, and the window of each connection in segments."""
        windows = measurement.simulate(points.from_settings(self.settings), self.seed, EVERY).windows
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["time", *(f"connection {i}" for i in range(1, len(windows[0])))])
        writer.writerows([f"{value:.6g}" for value in sample] for sample in windows)
        return text.getvalue()

    def draw(self, axes, text):
        names, *rows = csv.reader(io.StringIO(text))
        times = [float(row[0]) for row in rows]
        for i, name in enumerate(names[1:], 1):
            axes.plot(times, [float(row[i]) for row in rows], linewidth=1, label=name)
        axes.set_xlabel("time in s")
        axes.set_ylabel("congestion window in segments")
        axes.set_ylim(bottom=0)
