# SPDX-License-Identifier: Apache-2.0
"""`arqlink sweep`: a grid of points, run on Dask."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from arqlink import files, tree
from arqlink.cli import options
from arqlink.errors import UserError
from arqlink.report import plots
from arqlink.report.console import TextConsole
from arqlink.report.progress import progress_bar
from arqlink.report.tables import number, print_json
from arqlink.rtl import tools
from arqlink_research.sweep import kinds, plan
from arqlink_research.sweep.store import Store
from arqlink_research.tcp.measurement import spread

SHOWN = {"tcp": ("utilization", "rtt", "retransmissions"), "stats": ("p_t.measured", "p_f.measured", "alpha.measured", "line_use")}
"""Columns of the table, of what a run gives."""

Plan = Annotated[Path, typer.Argument(metavar="FILE.toml", help="The grid; docs/command_line.md describes it.", show_default=False)]
Scheduler = Annotated[str | None, typer.Option(metavar="ADDRESS", help="Dask scheduler, such as tcp://host:8786.", show_default="a cluster on this machine")]
Workers = Annotated[int | None, typer.Option(help="Workers on this machine.", show_default="one for each processor")]
Value = Annotated[
    str | None, typer.Option(metavar="NAME", help="What --plot draws: a number of a run, as --json names it.", show_default="the table's first column")
]
Show = Annotated[bool, typer.Option("--show", help="Run nothing; print what is there.")]


def rows(sweep, results):
    """For each point that has results: its settings, how many seeds, and mean and standard deviation of each number."""
    for point in sweep.points:
        keys = [plan.Task(sweep.kind, point, seed).key for seed in sweep.seeds]
        found = [results[key] for key in keys if key in results]
        if found:
            names = [name for name in found[0] if all(name in result for result in found)]
            spreads = {name: spread([result[name] for result in found]) for name in names}
            yield {"settings": point, "seeds": len(found), **{name: {"mean": of["mean"], "std": of["std"]} for name, of in spreads.items()}}


def axis_of(wanted):
    """The setting that is the axis of a drawing: it has the most values, of those that are numbers."""
    values = {name: {point[name] for point in wanted.points} for name in wanted.varied}
    numbers = {name: len(of) for name, of in values.items() if all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in of)}
    if not numbers:
        raise UserError("There is nothing to draw: no setting in the grid has numbers alone.")
    return max(numbers, key=lambda name: numbers[name])


def drawing(wanted, found, value):
    """SVG of one number of each point over `axis_of`; each combination of the other settings is a curve."""
    axis = axis_of(wanted)
    known = sorted({name for row in found for name in row} - {"settings", "seeds"})
    if known and value not in known:
        raise UserError(f"'{value}' is no number of these runs; there are {', '.join(known)}.")
    if not found:
        raise UserError("There is nothing to draw: no point has results.")
    kind, curves = kinds.KINDS[wanted.kind], {}
    for row in sorted(found, key=lambda row: row["settings"][axis]):
        label = ", ".join(f"{name} = {row['settings'][name]}" for name in wanted.varied if name != axis) or value
        model = kind.model(value, row)
        curves.setdefault(label, []).append((row["settings"][axis], row[value]["mean"], row[value]["std"], model))
    return plots.curves(f"{wanted.kind}: {value}", axis, value, curves)


def sweep(
    file: Plan,
    scheduler: Scheduler = None,
    workers: Workers = None,
    show: Show = False,
    plot: options.Plot = None,
    value: Value = None,
    json: options.Json = False,
):
    """Run a grid of points of `arqlink tcp` or `arqlink stats`, several seeds each.

    Results go to SQLite, one row a point and seed. What is there is not run again: a sweep that was stopped goes on where it was.

    Example: arqlink sweep docs/sweeps/u_against_n.toml
    """
    tree.require()
    if workers is not None and workers < 1:
        raise UserError(f"The number of workers is {workers}; it must be 1 or more.")
    if scheduler is not None and workers is not None:
        raise UserError("--workers is for a cluster on this machine; it cannot be used with --scheduler.")
    if value is not None and plot is None:
        raise UserError("--value says what --plot draws; it cannot be used without.")
    wanted = plan.read(file)
    if plot:
        files.check([plot], [str(file), str(wanted.output)])
        axis_of(wanted)
    if show and not wanted.output.exists():
        raise UserError(f"'{wanted.output}' is not there; without --show the sweep is run.")
    with Store(wanted.output) as store:
        if not show:
            tools.package("distributed")
            from arqlink_research.sweep import runner  # Dask takes a while to load

            with progress_bar("runs") as progress:
                runner.run(wanted.tasks(), store, scheduler, workers, progress)
        found = list(rows(wanted, store.results(wanted.tasks())))
    if plot:
        files.write(plot, drawing(wanted, found, value or SHOWN[wanted.kind][0]).encode())
    if json:
        print_json({"kind": wanted.kind, "output": str(wanted.output), "points": found})
        return
    columns = [name for name in SHOWN[wanted.kind] if found and name in found[0]]
    table = Table(title=f"{len(found)} of {len(wanted.points)} points, in {wanted.output}", title_justify="left")
    for heading in (*wanted.varied, "seeds", *(part for name in columns for part in (name, "±"))):
        table.add_column(heading, justify="right")
    for row in found:
        cells = [str(row["settings"][name]) for name in wanted.varied] + [str(row["seeds"])]
        for name in columns:
            std = row[name]["std"]
            cells += [number(row[name]["mean"], 4), "-" if std is None else number(std, 2)]
        table.add_row(*cells)
    TextConsole().print(table)
