# SPDX-License-Identifier: Apache-2.0
"""Charts of measured values beside those of a model. Points are measured, lines are the model's."""

from arqlink.report.svg import svg
from arqlink.report.tables import LABELS

MARKERS = "osD^vP"
SIZE = (6.4, 3.8)
"""Inches."""
WIDEST = 3.0
"""Largest ratio of a measured value to the model's that is drawn; an arrow at the edge stands for a larger one."""


def plain(text):
    """Text as matplotlib draws it as it is: names of files may have dollars, which enclose formulas."""
    return text.replace("$", r"\$")


def points_and_line(axes, place, label, points, model):
    """Curve number `place` of a chart: `points` are (x, y, distance to the ends of their bars, as errorbar takes it), `model` is (x, y) of a line
    of the same colour, or None. Returns the colour."""
    drawn = axes.errorbar(*points, fmt=MARKERS[place % len(MARKERS)], markersize=4, capsize=2, label=label)
    colour = drawn.lines[0].get_color()
    if model:
        axes.plot(*model, color=colour, linewidth=1)
    return colour


def finish(axes, title):
    """Grid, title, and the legend beside the chart."""
    axes.grid(alpha=0.3)
    axes.set_title(plain(title), fontsize=10)
    axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)


def comparison(report, title):
    """SVG of the measured values of a report with their intervals, each by the model's value, which is 1."""
    rows = [(LABELS[key], report[key]) for key in LABELS if key in report and report[key]["measured"] is not None and report[key]["model"]]
    # No interval follows from a share of 0 (arqlink.run.evaluation): the point is drawn alone.

    def draw(axes):
        for place, (_, entry) in enumerate(rows):
            low, measured, high = (entry[name if entry["low"] is not None else "measured"] / entry["model"] for name in ("low", "measured", "high"))
            axes.errorbar(measured, place, xerr=[[measured - low], [high - measured]], fmt="o", markersize=4, capsize=2, color="C0")
            if measured > WIDEST:
                axes.plot(WIDEST, place, ">", markersize=7, color="C0", clip_on=False)
        axes.axvline(1, color="C1", linewidth=1)
        axes.set_yticks(range(len(rows)), [f"{label} ({entry['model']:.3g})" for label, entry in rows])
        axes.set_ylim(max(len(rows), 1) - 0.5, -0.5)
        left, right = axes.get_xlim()
        axes.set_xlim(max(left, 0), min(right, WIDEST))
        axes.set_xlabel("measured ÷ model (whose value is in brackets); bars: 99.9 % intervals")
        axes.grid(alpha=0.3)
        axes.set_title(plain(title), fontsize=10)

    return svg("comparison", SIZE, draw)


def curves(title, axis, value, found):
    """SVG of curves over a setting. `found`: label -> rows (x, mean, standard deviation or None, model or None), in the order of x."""

    def draw(axes):
        for place, (label, rows) in enumerate(found.items()):
            x, means, stds, model = zip(*rows)
            known = None if any(y is None for y in model) else (x, model)
            points_and_line(axes, place, plain(label), (x, means, [std or 0 for std in stds]), known)
        axes.set_xlabel(axis)
        axes.set_ylabel(value)
        xs = sorted({row[0] for rows in found.values() for row in rows})
        if len(xs) > 2 and xs[0] > 0 and xs[-1] / xs[0] > 20:
            axes.set_xscale("log")
        finish(axes, title)

    return svg("curves", SIZE, draw)
