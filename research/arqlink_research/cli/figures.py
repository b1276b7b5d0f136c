# SPDX-License-Identifier: Apache-2.0
"""`arqlink figures`: the papers' figures, simulated and drawn."""

from typing import Annotated

import typer

from arqlink import tree
from arqlink.errors import UserError
from arqlink_research.cli.sweep import Scheduler
from arqlink_research.papers import collection, figure, laws, rr4752


def figures(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]…", help=f"Of {', '.join(collection.NAMES)}, or their beginnings, such as zhu.", show_default="all"),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="The papers' durations, and eight seeds.")] = False,
    rtl: Annotated[bool, typer.Option("--rtl", help="Points on the RTL as well, else those of the CSV files stay; takes half an hour.")] = False,
    draw: Annotated[bool, typer.Option("--draw", help="Draw from the CSV files that are there; simulate nothing.")] = False,
    scheduler: Scheduler = None,
):
    """Simulate what is missing of the papers' figures, and write CSV and SVG of each to docs/figures/papers.

    Example: arqlink figures rr4752-fig3
    """
    tree.require()
    for name in names or ():
        if not any(known.startswith(name) for known in collection.NAMES):
            raise UserError(f"There is no figure '{name}'; there are {', '.join(collection.NAMES)}.")
    beginnings = tuple(names or ("",))
    wanted = [one for one in collection.FIGURES if one.name.startswith(beginnings)]
    traces = [one for one in collection.TRACES if one.name.startswith(beginnings)]
    if not draw:
        collection.simulate(wanted, *(collection.FULL if full else collection.QUICK), rtl, scheduler)
        for one in traces:
            (figure.FOLDER / f"{one.name}.csv").write_text(one.csv())
    for one in (*wanted, *traces):
        text = (figure.FOLDER / f"{one.name}.csv").read_text()
        (figure.FOLDER / f"{one.name}.svg").write_text(figure.picture(one, text))
        print(f"docs/figures/papers/{one.name}.svg")
    if any(one in rr4752.FIGURES for one in wanted):
        laws.write()
