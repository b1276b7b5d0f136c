# SPDX-License-Identifier: Apache-2.0
"""RR-4752's model against its simulations (Figs. 9 to 14 against 3 to 8): how far U is off, by the law of the resequencer."""

import math

from arqlink import tree
from arqlink.bench import documents
from arqlink.model.tcp import FULL_LOAD
from arqlink.report.tables import markdown
from arqlink_research.papers import figure, rr4752
from arqlink_research.tcp import models
from arqlink_research.tcp import point as points

PAGE = tree.ROOT / "docs" / "papers.md"
MARKS = "arqlink figures rr4752"
FIXED_POINT = "fixed point"
LAWS = {"none": "none", "proposition1": "Prop. 1", "periodic": "eq. 11", "poisson": "exact, Poisson", FULL_LOAD: "always busy"}
"""Laws of `TcpOverLink`, and how the table calls them. All but `FIXED_POINT` with the λ and π that were measured, as the paper's figures have them."""
NEAR = 0.01
"""Of U. The control units of ACKs take 0.006 of the line, and the model has none."""
HEADINGS = ("figures", "points", f"within {NEAR}", f"{FIXED_POINT}, Prop. 1", *LAWS.values())


def with_measured(point, utilization, law):
    """U by eqs. 1 and 2, where λ and π are those of a simulated U."""
    model = models.hybrid_model(point, law)
    return min(model.capacity, model.offered(utilization * model.line_rate)) / model.line_rate


def differences(one):
    """Model less simulation of each point that has a model: a dictionary by law; and at how many of them the fixed point is no more than `NEAR` off."""
    curves, near = figure.read_csv((figure.FOLDER / f"{one.name}.csv").read_text()), 0
    found = {FIXED_POINT: [], **{law: [] for law in LAWS}}
    for curve, x, settings in one.points({}):
        if not curve.has_model:
            continue
        row, point = next(row for row in curves[curve.label] if row["x"] == x), points.from_settings(settings)
        found[FIXED_POINT].append(row["model"] - row["mean"])
        near += abs(row["model"] - row["mean"]) <= NEAR
        for law in LAWS:
            found[law].append(with_measured(point, row["mean"], law) - row["mean"])
    return found, near


def _cell(values):
    """Root of the mean square, and the largest difference."""
    return f"{math.sqrt(sum(v * v for v in values) / len(values)):.3f} ({max(values, key=abs):+.3f})"


def table():
    """Lines of the page's table."""
    rows = []
    for one in rr4752.FIGURES:
        found, near = differences(one)
        rows.append([one.number.removeprefix("Figs. "), len(found[FIXED_POINT]), near, *(_cell(values) for values in found.values())])
    return markdown(HEADINGS, rows)


def write():
    PAGE.write_text(documents.replaced(PAGE.read_text(), MARKS, table()))
