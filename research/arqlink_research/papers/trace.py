# SPDX-License-Identifier: Apache-2.0
"""A figure of what changes over time: congestion windows, or what a gateway stores."""

import csv
import io
from dataclasses import dataclass, field

from arqlink_research.tcp import measurement
from arqlink_research.tcp import point as points

EVERY = 0.5
"""Seconds between two samples."""
AXES = {"windows": "congestion window in segments", "rates": "goodput in Mb/s", "cached": "packets that the gateway stores"}


@dataclass(frozen=True)
class Trace:
    """`settings`: of a run with several connections, of which each is a curve; or those that all of `runs` have, label -> settings of a run with
    of which the first connection is one. `what`: a name of AXES."""

    name: str
    number: str
    title: str
    settings: dict
    runs: dict = field(default_factory=dict)
    what: str = "windows"
    every: float = EVERY
    seed: int = 1

    @property
    def axis_of_value(self):
        return AXES[self.what]

    def csv(self):
        """Simulates it: time in s, and a column for each curve."""
        if self.runs:
            samples = [self._samples(self.settings | settings) for settings in self.runs.values()]
            names, rows = list(self.runs), [[first[0], *(one[1] for one in (first, *others))] for first, *others in zip(*samples)]
        else:
            rows = self._samples(self.settings)
            names = [f"connection {i}" for i in range(1, len(rows[0]))]
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["time", *names])
        writer.writerows([f"{value:.6g}" for value in row] for row in rows)
        return text.getvalue()

    def _samples(self, settings):
        samples = getattr(measurement.simulate(points.from_settings(settings), self.seed, self.every), self.what)
        return [[time, *(1e-6 * value for value in values)] for time, *values in samples] if self.what == "rates" else samples

    def draw(self, axes, text):
        names, *rows = csv.reader(io.StringIO(text))
        times = [float(row[0]) for row in rows]
        for i, name in enumerate(names[1:], 1):
            axes.plot(times, [float(row[i]) for row in rows], linewidth=1, label=name)
        axes.set_xlabel("time in s")
        axes.set_ylabel(self.axis_of_value)
        axes.set_ylim(bottom=0)
