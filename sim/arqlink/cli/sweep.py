# SPDX-License-Identifier: Apache-2.0
"""`arqlink sweep`: a grid of points, run on Dask."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from arqlink import tree
from arqlink.cli import options
from arqlink.errors import UserError
from arqlink.report.console import TextConsole
from arqlink.report.progress import progress_bar
from arqlink.report.tables import number, print_json
from arqlink.rtl import tools
from arqlink.sweep import plan
from arqlink.sweep.store import Store
from arqlink.tcp.measurement import spread

SHOWN = {"tcp": ("utilization", "rtt", "retransmissions"), "stats": ("p_t.measured", "p_f.measured", "alpha.measured", "line_use")}
"""Columns of the table, of what a run gives."""

Plan = Annotated[Path, typer.Argument(metavar="FILE.toml", help="The grid; docs/command_line.md describes it.", show_default=False)]
Scheduler = Annotated[str | None, typer.Option(metavar="ADDRESS", help="Dask scheduler, such as tcp://host:8786.", show_default="a cluster on this machine")]
Workers = Annotated[int | None, typer.Option(help="Workers on this machine.", show_default="one for each processor")]
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


def sweep(
    file: Plan,
    scheduler: Scheduler = None,
    workers: Workers = None,
    show: Show = False,
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
    wanted = plan.read(file)
    if show and not wanted.output.exists():
        raise UserError(f"'{wanted.output}' is not there; without --show the sweep is run.")
    with Store(wanted.output) as store:
        if not show:
            tools.package("distributed")
            from arqlink.sweep import runner  # Dask takes a while to load

            with progress_bar("runs") as progress:
                runner.run(wanted.tasks(), store, scheduler, workers, progress)
        found = list(rows(wanted, store.results(wanted.tasks())))
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
