# SPDX-License-Identifier: Apache-2.0
"""`make figures`: simulates what is missing of the papers' figures, and writes CSV and SVG of each to docs/figures/papers."""

import argparse
import sys

from arqlink import tree
from arqlink.errors import UserError
from arqlink.papers import beyond, figure, rr4752, zhu
from arqlink.report.progress import progress_bar
from arqlink.sweep import runner
from arqlink.sweep.plan import Sweep
from arqlink.sweep.store import Store

FIGURES = rr4752.FIGURES + zhu.FIGURES + beyond.FIGURES
TRACES = zhu.TRACES
STORE = tree.BUILD / "papers" / "points.sqlite"
"""Shared by all figures: many points are in several."""
NAMES = [one.name for one in (*FIGURES, *TRACES)]
QUICK = {"seconds": 400, "warm_up": 100}, [1, 2]
FULL = {"seconds": 1900, "warm_up": 100}, [1, 2, 3, 4, 5]
"""Settings and seeds. The papers ran 2000 seconds."""


def main():
    parser = argparse.ArgumentParser(prog="arqlink.papers", description="Simulates the papers' figures.")
    parser.add_argument("--full", action="store_true", help="the papers' durations, and five seeds")
    parser.add_argument("--draw", action="store_true", help="draw from the CSV files that are there; simulate nothing")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="Dask scheduler; default: a cluster on this machine")
    parser.add_argument("figures", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; default: all")
    options = parser.parse_args()
    try:
        tree.require()
        if unknown := set(options.figures) - set(NAMES):
            raise UserError(f"There is no figure '{sorted(unknown)[0]}'; there are {', '.join(NAMES)}.")
        wanted = [f for f in FIGURES if f.name in options.figures or not options.figures]
        traces = [f for f in TRACES if f.name in options.figures or not options.figures]
        if not options.draw:
            simulate(wanted, *(FULL if options.full else QUICK), options.scheduler)
            for one in traces:
                (figure.FOLDER / f"{one.name}.csv").write_text(one.csv())
        for one in (*wanted, *traces):
            text = (figure.FOLDER / f"{one.name}.csv").read_text()
            (figure.FOLDER / f"{one.name}.svg").write_text(figure.svg(one, text))
            print(f"docs/figures/papers/{one.name}.svg")
    except UserError as error:
        sys.exit(str(error))


def simulate(wanted, more, seeds, scheduler):
    """Runs what is missing, and writes the CSV files."""
    points = {}
    for one in wanted:
        points |= {str(sorted(settings.items())): settings for _, _, settings in one.points(more)}
    with Store(STORE) as store:
        with progress_bar("runs") as progress:
            runner.run(Sweep("tcp", list(points.values()), [], seeds, STORE), store, scheduler, progress=progress)
        for one in wanted:
            results = store.results(one.tasks(seeds, more))
            (figure.FOLDER / f"{one.name}.csv").write_text(figure.write_csv(one.rows(results, seeds, more)))


if __name__ == "__main__":
    main()
