# SPDX-License-Identifier: Apache-2.0
"""`arqlink campaign`: random faults between two link ends, and what lost feedback and forged units cost. sim/campaign/README.md describes it."""

import os
import sys
import time
from contextlib import nullcontext
from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Table

from arqlink import tree
from arqlink.campaign import builds, feedback_loss, forged_recovery, runs
from arqlink.cli import options
from arqlink.errors import UserError
from arqlink.report.console import table_console
from arqlink.report.progress import progress_bar
from arqlink.report.tables import print_json
from arqlink.seeds import parse_seeds

campaign = typer.Typer(no_args_is_help=True, help="Put two Verilated link ends through random faults, lost feedback and forged units.")

Pair = Annotated[list[str] | None, typer.Option(metavar="END:END", help="Builds at both ends; may be repeated.", show_default=" ".join(builds.PAIRS))]
Seed = Annotated[int, typer.Option(min=0, help="The first seed.")]
Workers = Annotated[int | None, typer.Option(help="Processes.", show_default="one for each processor")]


def _pairs(names):
    """Those that are named, or all; refused before anything is built."""
    for name in names or ():
        builds.ends_of(name)
    return names or list(builds.PAIRS)


def report(result):
    print(f"{result.kind}: {result.text}\n  {result.repeat()}", flush=True)


def print_summary(totals):
    per_second = totals["clocks"] / max(totals["seconds"], 0.1)
    print(
        f"{totals['runs']} runs, {totals['units']} units ({totals['units_lost']} of them lost), {totals['packets']} packets, "
        f"{totals['clocks']} clocks, {totals['lives']} lives, {totals['polls']} polls, {totals['forged_units']} forged units, "
        f"{totals['seconds']} s, {per_second:.0f} clocks/s"
    )
    for pair, kinds in totals["failures_by_pair"].items():
        if kinds:
            print(f"  {pair}: " + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
    if totals["silent_losses_by_sequences"]:
        print(f"{totals['silent_losses_by_sequences']} runs in which several forged units together lost something without a report, a known limit")
    if not totals["failures"]:
        print("no failure")


@campaign.command("run")
def run(
    pair: Pair = None,
    seed: Seed = 1,
    count: Annotated[int, typer.Option("--runs", min=1, help="Seeds of each pair.")] = 100,
    workers: Workers = None,
    time_limit: Annotated[float | None, typer.Option(metavar="SECONDS", help="No run begins after that time.", show_default="none")] = None,
    forge: Annotated[float, typer.Option(min=0, max=1, help="Share of the runs that have forged units.")] = 0,
    frames: Annotated[int, typer.Option(min=0, help="Of one pair: in place of faults, traffic of so many frames of a unit each way.")] = 0,
    ignore: Annotated[list[str] | None, typer.Option(metavar="KIND", help="A kind of failure that is known: what can go on goes on; may be repeated.")] = None,
    waves: options.Waves = None,
    show: Annotated[bool, typer.Option("--show", help="Of one pair: print each scenario.")] = False,
    build: Annotated[bool, typer.Option("--build", help="Build what the pairs need, and stop.")] = False,
    json: options.Json = False,
):
    """Run random faults between two link ends, and check all that they say and deliver; exit with 1 where something is wrong.

    A seed gives the same run again; a failure is printed with the command that repeats it. Of one pair, --waves x.fst records x.a.fst and x.b.fst.

    Example: arqlink campaign run --pair small:small --seed 123 --runs 1 --waves x.fst
    """
    tree.require()
    pairs, known = _pairs(pair), tuple(ignore or ())
    alone = waves is not None or show or frames > 0
    if alone and len(pairs) > 1:
        raise UserError("--waves, --show and --frames are for one pair; name it with --pair.")
    builds.build_all(pairs, waves is not None)
    if build:
        return
    begin = time.monotonic()
    with progress_bar("runs") if sys.stdout.isatty() and not json else nullcontext(lambda done, total: None) as progress:
        done = 0

        def step(result):
            nonlocal done
            done += 1
            progress(done, count * len(pairs))
            if result.kind and not json:
                report(result)

        if alone:
            results = runs.run_seeds(pairs[0], seed, count, time_limit, waves, show, forge, known, step, frames)
        else:
            results = runs.run_pairs(pairs, seed, count, workers or os.cpu_count() or 1, time_limit, forge, known, step)
    totals = runs.summary(results, time.monotonic() - begin)
    if json:
        print_json(totals | {"failed": [asdict(r) | {"repeat": r.repeat()} for r in results if r.kind]})
    else:
        print_summary(totals)
    if totals["failures"]:
        raise typer.Exit(1)


@campaign.command("feedback-loss")
def lost_feedback(
    round_trip: Annotated[
        list[int] | None,
        typer.Option(metavar="FRAMES", help=f"Of {', '.join(map(str, feedback_loss.WINDOWS))}; may be repeated.", show_default="all"),
    ] = None,
    seed: options.Seeds = options.USUAL_SEEDS,
):
    """Measure what a long link carries while its feedback gets lost.

    Example: arqlink campaign feedback-loss --round-trip 533
    """
    tree.require()
    table = Table(*feedback_loss.HEADINGS)
    for row in feedback_loss.rows(feedback_loss.survey(feedback_loss.points(round_trip or tuple(feedback_loss.WINDOWS), parse_seeds(seed)))):
        table.add_row(*map(str, row))
    table_console(160).print(table)


@campaign.command("forged-recovery")
def forged(
    pair: Pair = None,
    seed: Seed = 1,
    count: Annotated[int, typer.Option("--runs", min=1, help="Seeds of each pair; fewer than of faults, as each runs twice.")] = 20,
    workers: Workers = None,
):
    """Measure how long a link takes to get over forged units; exit with 1 where it is longer than the bound.

    Each run is made twice, with the forged units and without.

    Example: arqlink campaign forged-recovery --pair small:small --runs 40
    """
    tree.require()
    pairs = _pairs(pair)
    builds.build_all(pairs, waves=False)
    found = forged_recovery.measure_all(pairs, seed, count, workers or os.cpu_count() or 1)
    table = Table(*forged_recovery.HEADINGS, title="Forged units; the bound is four round trips and three POLL_TIMEOUTs", title_justify="left")
    for name, costs in (*zip(pairs, found, strict=True), ("all", [cost for several in found for cost in several])):
        table.add_row(*map(str, forged_recovery.row(name, costs)))
    table_console().print(table)
    if wrong := [cost for costs in found for cost in forged_recovery.beyond(costs)]:
        print(f"{len(wrong)} runs went beyond the bound: {wrong[0]}")
        raise typer.Exit(1)
