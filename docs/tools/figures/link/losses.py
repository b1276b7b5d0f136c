# SPDX-License-Identifier: Apache-2.0
"""Useful share α and packet loss against p: FEC alone, ARQ alone, hybrid."""

import numpy as np

from arqlink.model.link_setup import from_options
from arqlink.report import plots
from arqlink.report.svg import svg
from arqlink.report.tables import csv_text
from arqlink.run import monte_carlo
from docs.tools.figures.link import read_csv

SCHEMES = {
    "FEC alone: N = 12, δ = 0": {"n": 12, "delta": 0},
    "ARQ alone: N = 10, δ = 2": {"n": 10, "delta": 2},
    "hybrid: N = 11, δ = 2": {"n": 11, "delta": 2},
}
FIXED = {"config": "montecarlo", "k": 10, "packet_bytes": 480, "delay_ms": 5.0}
"""Packets of six full frames, as RR-4752's."""
PS = (0.001, 0.003, 0.01, 0.03, 0.1)
FRAMES = 50_000
VALUES = {"alpha": "useful share α", "packet_loss": "packet loss"}
COLUMNS = ("scheme", "p", *(f"{name}_{part}" for name in VALUES for part in ("measured", "low", "high", "model")))


def setup(scheme, p):
    return from_options(loss=f"bernoulli:{p}", **FIXED, **SCHEMES[scheme])


def measure():
    rows = []
    for scheme in SCHEMES:
        for p in PS:
            report = monte_carlo.measure(setup(scheme, p), FRAMES)
            rows.append([scheme, p, *(report[name][part] for name in VALUES for part in ("measured", "low", "high", "model"))])
    return csv_text(COLUMNS, rows)


def picture(name, text):
    """SVG of one value, with the model's curve between the points; a packet loss of 0 shows as the upper end of its interval."""
    curve = np.geomspace(PS[0], PS[-1], 41)

    def draw(axes):
        for place, scheme in enumerate(SCHEMES):
            rows = [row for row in read_csv(text) if row["scheme"] == scheme]
            low, value, high = (np.array([row[f"{name}_{part}"] for row in rows]) for part in ("low", "measured", "high"))
            model = [getattr(setup(scheme, p).model(), name) for p in curve]
            shown = np.where(value > 0, value, np.nan)
            colour = plots.points_and_line(axes, place, scheme, ([row["p"] for row in rows], shown, [shown - low, high - shown]), (curve, model))
            for row, none, end in zip(rows, value == 0, high):
                if none:
                    axes.plot(row["p"], end, marker=7, color=colour)  # a caret that points down
        axes.set_xscale("log")
        axes.set_xlabel("p: share of units that are erased")
        axes.set_ylabel(VALUES[name])
        if name == "packet_loss":
            axes.set_yscale("log")
            axes.set_ylim(1e-6, 1.5)
        else:
            axes.set_ylim(0, 1)
        plots.finish(axes, f"{VALUES[name]}: points by the RTL with 99.9 % intervals, lines by the model")

    return svg(f"link-{name}", plots.SIZE, draw)


PICTURES = {"alpha": lambda text: picture("alpha", text), "packet-loss": lambda text: picture("packet_loss", text)}
