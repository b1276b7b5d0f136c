# SPDX-License-Identifier: Apache-2.0
"""A figure of a paper: curves of points of `arqlink tcp`, kept as CSV, and drawn from that alone."""

import csv
import hashlib
import io
import math
from collections.abc import Callable
from dataclasses import dataclass, field

from scipy import stats

from arqlink import tree
from arqlink.report import plots
from arqlink.report.svg import svg
from arqlink.report.tables import csv_text
from arqlink_research.sweep import kinds
from arqlink_research.sweep.plan import Task
from arqlink_research.tcp import measurement

FOLDER = tree.ROOT / "docs" / "figures" / "papers"
COLUMNS = ("curve", "x", "seeds", "mean", "std", "interval", "model", "rtl", "rtl_seeds", "rtl_std")
"""`interval`: half of the mean's 95 % interval, by Student's t over the seeds. `rtl`: mean on the RTL, over
`rtl_seeds` seeds with the standard deviation `rtl_std`."""
OF_RTL = tuple(name for name in COLUMNS if name.startswith("rtl"))
CONFIDENCE = 0.95
RTL = {"link": "rtl", "config": "paper8", "warm_up": 100, "seconds": 200}
"""How points on the RTL are run: it is some hundred times slower than the fast model."""
RTL_UNIT, UNIT = 24, 25
"""Bytes of a unit there, and of all others."""
APART = 0.07
"""Of the distance of two x: by so much curves stand side by side, so that equal points can be told from each other."""


def on_rtl(settings):
    """The same point on the RTL. Packets and rate shrink with the unit, so the line carries as many packets a second, each of as many units."""
    scale = RTL_UNIT / UNIT
    sizes = {"packet_bytes": round(scale * settings.get("packet_bytes", 1500)), "rate_mbps": scale * settings.get("rate_mbps", 2.0)}
    return settings | sizes | RTL


@dataclass(frozen=True)
class Curve:
    """`settings` are those of the figure that differ from curve to curve. `has_model`: the paper's model is for such points, with the
    settings `model` in place of theirs. `place`: settings of a value on the axis, where they are not the same for all curves."""

    label: str
    settings: dict
    has_model: bool = True
    place: Callable[[float], dict] | None = None
    model: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Figure:
    """`x`: the setting on the axis, or what makes settings of a value there; its values are `xs`. Papers number simulation and model apart:
    `number` has both."""

    name: str
    number: str
    title: str
    x: str | Callable[[float], dict]
    axis: str
    xs: tuple
    curves: tuple
    fixed: dict
    value: str = "utilization"
    axis_of_value: str = "U: goodput by the line's rate"
    top: float = 1.0
    """Of the axis of the value."""
    logarithmic: bool = False
    """Of the axis of `x`."""
    repeated: int = 1
    """Times as many seeds as others have: one connection depends on its seed more than ten together."""
    scale: float = 1.0
    """All values are multiplied by it."""
    rtl: tuple = ()
    """(curve's label, x) of points that are simulated on the RTL as well."""
    rtl_seeds: int = 4
    """Of each of these: enough to refuse a mean that is a tenth off (`test_points_on_the_rtl_are_those_of_the_fast_model`)."""

    def model(self, curve, settings):
        """The model's value of a point, or None."""
        value = kinds.TCP.expected(settings | curve.model).get(self.value) if curve.has_model else None
        return None if value is None else self.scale * value

    @property
    def step(self):
        """Least distance of two values on the axis."""
        return min(b - a for a, b in zip(self.xs, self.xs[1:]))

    def points(self, more):
        """(curve, x, settings) of each point; `more` are settings such as the duration, where the figure has none."""
        for curve in self.curves:
            for x in self.xs:
                yield curve, x, more | self.fixed | curve.settings | self._place(curve, x)

    def _place(self, curve, x):
        place = curve.place or self.x
        return {place: x} if isinstance(place, str) else place(x)

    def runs(self, settings, count):
        """The tasks of a point, where others have `count`. Each point has seeds of its own: what a draw does to all points of a curve would look like a
        property of it."""
        first = int(hashlib.sha256(repr(kinds.TCP.identity(settings)).encode()).hexdigest()[:12], 16)
        return [Task("tcp", settings, first + i) for i in range(self.repeated * count)]

    def tasks(self, count, more):
        """All of them; of each point the first ones first."""
        points = [self.runs(settings, count) for _, _, settings in self.points(more)]
        return [task for each in zip(*points) for task in each]

    def rtl_runs(self):
        """(curve's label, x) -> the tasks of a point on the RTL."""
        return {
            (curve.label, x): [Task("tcp", on_rtl(settings), seed) for seed in range(1, self.rtl_seeds + 1)]
            for curve, x, settings in self.points({})
            if (curve.label, x) in self.rtl
        }

    def rtl_tasks(self):
        """All of them."""
        return [task for tasks in self.rtl_runs().values() for task in tasks]

    def _found(self, results, tasks):
        """Mean and standard deviation of what a point's tasks gave."""
        found = measurement.spread([self.scale * results[task.key][self.value] for task in tasks])
        return found["mean"], found["std"]

    def rtl_rows(self, results):
        """(curve's label, x) -> columns OF_RTL of those points that are among the results of tasks."""
        rows = {}
        for point, tasks in self.rtl_runs().items():
            if all(task.key in results for task in tasks):
                mean, std = self._found(results, tasks)
                rows[point] = (mean, len(tasks), std)
        return rows

    def rows(self, results, count, more, rtl):
        """The CSV's rows, by the results of all tasks, and by the columns of points on the RTL."""
        for curve, x, settings in self.points(more):
            tasks = self.runs(settings, count)
            mean, std = self._found(results, tasks)
            of_rtl = rtl.get((curve.label, x), [None] * len(OF_RTL))
            yield curve.label, x, len(tasks), mean, std, interval_of(std, len(tasks)), self.model(curve, settings), *of_rtl

    def draw(self, axes, text):
        """Simulation as points with the means' 95 % intervals, the model as a line of the same colour, rings on the RTL."""
        curves = read_csv(text)
        for i, (label, rows) in enumerate(curves.items()):
            apart = APART * (i - (len(curves) - 1) / 2)
            x = [row["x"] * (1 + apart / 2) if self.logarithmic else row["x"] + apart * self.step for row in rows]
            means, intervals = [row["mean"] for row in rows], [row["interval"] or 0 for row in rows]
            known = [(row["x"], row["model"]) for row in rows if row["model"] is not None]
            model = tuple(zip(*known)) if known else None
            colour = plots.points_and_line(axes, i, label, (x, means, intervals), model)
            rings = [(at, row["rtl"]) for at, row in zip(x, rows) if row["rtl"] is not None]
            if rings:
                axes.plot(*zip(*rings), "o", markersize=9, markerfacecolor="none", color=colour)
        axes.set_xlabel(self.axis)
        axes.set_ylabel(self.axis_of_value)
        if self.logarithmic:
            axes.set_xscale("log")
            axes.set_xticks([], minor=True)
        axes.set_xticks(self.xs, [f"{x:g}" for x in self.xs])
        axes.set_ylim(0, self.top)


def interval_of(std, count):
    """Half of the 95 % interval of the mean of `count` values with this standard deviation, or None."""
    return None if std is None else std * float(stats.t.ppf((1 + CONFIDENCE) / 2, count - 1)) / math.sqrt(count)


def write_csv(rows):
    """Text of a CSV file."""
    return csv_text(COLUMNS, rows)


def read_csv(text):
    """Curve -> its rows as dictionaries of numbers, in the order of the file."""
    curves = {}
    for row in csv.DictReader(io.StringIO(text)):
        curves.setdefault(row["curve"], []).append({name: float(row[name]) if row.get(name) else None for name in COLUMNS[1:]})
    return curves


def rtl_rows(text):
    """(curve, x) -> columns OF_RTL of the points on the RTL in a CSV text."""
    rows = ((label, row) for label, rows in read_csv(text).items() for row in rows)
    return {(label, row["x"]): tuple(row[name] for name in OF_RTL) for label, row in rows if row["rtl"] is not None}


def picture(figure, text):
    """SVG of a Figure or a Trace by its CSV text."""

    def draw(axes):
        figure.draw(axes, text)
        plots.finish(axes, figure.title)

    return svg(figure.name, plots.SIZE, draw)
