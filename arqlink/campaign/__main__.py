# SPDX-License-Identifier: Apache-2.0
"""Runs the fault campaign: random faults between two link ends, and a check of all that they say and deliver.

`python -m arqlink.campaign --pair small:small --seed 123` repeats a run, and `--waves x.fst` shows it. sim/campaign/README.md
describes what is checked.
"""

import argparse
import json
import os
import sys
import time
from dataclasses import asdict

from arqlink.campaign import builds, runs
from arqlink.errors import UserError, sentence


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


def arguments():
    parser = argparse.ArgumentParser(prog="arqlink.campaign", description="Random faults between two link ends, and a check of all that follows.")
    parser.add_argument("--pair", help="one pair END:END; with --seed it is one run")
    parser.add_argument("--pairs", nargs="+", metavar="PAIR", default=builds.PAIRS, help=f"default: {' '.join(builds.PAIRS)}")
    parser.add_argument("--seed", type=int, help="first seed")
    parser.add_argument("--first", type=int, default=1, help="the same, for --runs")
    parser.add_argument("--count", type=int, help="seeds to run from --seed on")
    parser.add_argument("--runs", type=int, default=100, help="seeds of each pair")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--seconds", type=float, help="no run begins after that time")
    parser.add_argument("--forge", type=float, default=0, help="share of the runs with forged units, 0 to 1")
    parser.add_argument("--frames", type=int, default=0, help="with --seed: in place of random faults, traffic of so many frames of a unit each way")
    parser.add_argument("--ignore", nargs="*", metavar="KIND", default=(), help="kinds of failures that are known: what can go on goes on")
    parser.add_argument("--waves", help="FST file of a run; one for each end: x.a.fst and x.b.fst")
    parser.add_argument("--show", action="store_true", help="print each scenario")
    parser.add_argument("--json", action="store_true", help="print results as JSON")
    parser.add_argument("--build", action="store_true", help="build what the pairs need, and stop")
    return parser.parse_args()


def watched(pairs, options):
    """runs.run_pairs with a progress bar where there is a terminal."""
    total = options.runs * len(pairs)

    def report_failure(result):
        if result.kind and not options.json:
            report(result)

    if options.json or not sys.stdout.isatty():
        return runs.run_pairs(pairs, options.first, options.runs, options.jobs, options.seconds, options.forge, options.ignore, on_result=report_failure)
    from rich.progress import Progress

    with Progress(transient=True) as progress:
        task = progress.add_task("runs", total=total)

        def step(result):
            progress.advance(task)
            if result.kind:
                progress.console.print(f"{result.kind}: {result.text}\n  {result.repeat()}", markup=False, highlight=False)

        return runs.run_pairs(pairs, options.first, options.runs, options.jobs, options.seconds, options.forge, options.ignore, on_result=step)


def main():
    options = arguments()
    pairs = [options.pair] if options.pair else list(options.pairs)
    try:
        builds.build_all(pairs, options.waves is not None)
        if options.build:
            return
        begin = time.monotonic()
        if options.pair and options.seed is not None:
            on_result = None if options.json else lambda result: report(result) if result.kind else None
            results = runs.run_seeds(
                options.pair,
                options.seed,
                options.count or 1,
                options.seconds,
                options.waves,
                options.show,
                options.forge,
                options.ignore,
                on_result=on_result,
                frames=options.frames,
            )
        else:
            options.first = options.first if options.seed is None else options.seed
            options.runs = options.count or options.runs
            results = watched(pairs, options)
    except (UserError, OSError) as error:
        sys.exit(sentence(error))
    totals = runs.summary(results, time.monotonic() - begin)
    if options.json:
        print(json.dumps(totals | {"failed": [asdict(r) | {"repeat": r.repeat()} for r in results if r.kind]}, indent=1))
    else:
        print_summary(totals)
    sys.exit(1 if totals["failures"] else 0)


if __name__ == "__main__":
    main()
