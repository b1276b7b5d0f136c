# SPDX-License-Identifier: Apache-2.0
"""`arqlink synth`: place and route."""

from typing import Annotated

import typer

from arqlink import tree
from arqlink.cli import options
from arqlink.errors import UserError
from arqlink.fpga import record, timing
from arqlink.fpga.place_and_route import OUTPUT, run
from arqlink.fpga.results import misses, table
from arqlink.fpga.targets import TARGETS, named
from arqlink.report.console import table_console
from arqlink.seeds import parse_seeds

NAMES = ", ".join(target.name for target in TARGETS)


def synth(
    targets: Annotated[list[str] | None, typer.Argument(metavar="[TARGET]…", help=f"Of {NAMES}.", show_default="all")] = None,
    seed: options.Seeds = options.USUAL_SEEDS,
    recorded: Annotated[bool, typer.Option("--recorded", help="Take what docs/place_and_route.json has of these sources, and add to it.")] = False,
    slowest: Annotated[int, typer.Option(metavar="COUNT", min=0, help="Print where so many of the slowest paths end, for each seed.")] = 0,
    check: Annotated[bool, typer.Option("--check", help="Exit with 1 if a target does not reach what it must.")] = False,
):
    """Place and route targets with several seeds, the worst of which counts.

    Example: arqlink synth default --seed 1-3
    """
    try:
        chosen = [named(name) for name in targets or ()] or TARGETS
    except KeyError as unknown:
        raise UserError(f"There is no target {unknown}; there are {NAMES}.") from None
    seeds = parse_seeds(seed)
    tree.require()
    known = record.read() if recorded else None
    results = {target: run(target, seeds, known) for target in chosen}
    console = table_console()
    console.print(table(results))
    for target, found in results.items() if slowest else ():
        for result in found:
            console.print(timing.table(target, result.seed, OUTPUT / target.name / f"report-{result.seed}.json", slowest))
    if check and any(misses(target, found) for target, found in results.items()):
        raise typer.Exit(1)
