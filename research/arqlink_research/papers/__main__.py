# SPDX-License-Identifier: Apache-2.0
"""`make figures`: simulates what is missing of the papers' figures, and writes CSV and SVG of each to docs/figures/papers."""

import argparse
import sys

from arqlink import tree
from arqlink.errors import UserError, sentence
from arqlink.report.progress import progress_bar
from arqlink.rtl import tools
from arqlink_research.papers import beyond, figure, modes, onboard, peng, reservation, rr4752, zhu
from arqlink_research.sweep.store import Store

FIGURES = rr4752.FIGURES + zhu.FIGURES + reservation.FIGURES + onboard.FIGURES + peng.FIGURES + modes.FIGURES + beyond.FIGURES
TRACES = zhu.TRACES + reservation.TRACES + peng.TRACES
STORE = tree.BUILD / "papers" / "points.sqlite"
"""Shared by all figures: many points are in several."""
NAMES = [one.name for one in (*FIGURES, *TRACES)]
QUICK = {"seconds": 400, "warm_up": 100}, 2
FULL = {"seconds": 1900, "warm_up": 100}, 5
"""Settings, and the number of seeds. RR-4752 ran 2000 seconds."""


def main():
    parser = argparse.ArgumentParser(prog="arqlink_research.papers", description="Simulates the papers' figures.")
    parser.add_argument("--full", action="store_true", help="the papers' durations, and five seeds")
    parser.add_argument("--rtl", action="store_true", help="points on the RTL as well, else those of the CSV files stay; takes half an hour")
    parser.add_argument("--draw", action="store_true", help="draw from the CSV files that are there; simulate nothing")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="Dask scheduler; default: a cluster on this machine")
    parser.add_argument("figures", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}, or their beginnings, such as zhu; default: all")
    options = parser.parse_args()
    try:
        tree.require()
        for name in options.figures:
            if not any(known.startswith(name) for known in NAMES):
                raise UserError(f"There is no figure '{name}'; there are {', '.join(NAMES)}.")
        beginnings = tuple(options.figures) or ("",)
        wanted = [one for one in FIGURES if one.name.startswith(beginnings)]
        traces = [one for one in TRACES if one.name.startswith(beginnings)]
        if not options.draw:
            simulate(wanted, *(FULL if options.full else QUICK), options.rtl, options.scheduler)
            for one in traces:
                (figure.FOLDER / f"{one.name}.csv").write_text(one.csv())
        for one in (*wanted, *traces):
            text = (figure.FOLDER / f"{one.name}.csv").read_text()
            (figure.FOLDER / f"{one.name}.svg").write_text(figure.picture(one, text))
            print(f"docs/figures/papers/{one.name}.svg")
    except (UserError, OSError) as error:
        sys.exit(sentence(error))


def simulate(wanted, more, count, on_rtl, scheduler):
    """Runs what is missing, and writes the CSV files."""
    with Store(STORE) as store:
        run([task for one in wanted for task in one.tasks(count, more)], store, scheduler, "runs")
        if on_rtl:
            run([task for one in wanted for task in one.rtl_tasks().values()], store, scheduler, "runs on the RTL")
        for one in wanted:
            path = figure.FOLDER / f"{one.name}.csv"
            kept = figure.rtl_values(path.read_text()) if path.exists() else {}
            tasks = one.rtl_tasks()
            found = store.results(tasks.values())
            rtl = {point: one.scale * found[task.key][one.value] if task.key in found else kept.get(point) for point, task in tasks.items()}
            results = store.results(one.tasks(count, more))
            path.write_text(figure.write_csv(one.rows(results, count, more, rtl)))


def run(tasks, store, scheduler, label):
    """Runs what the store lacks of the tasks."""
    tools.package("distributed")
    from arqlink_research.sweep import runner  # Dask takes a while to load

    with progress_bar(label) as progress:
        runner.run(tasks, store, scheduler, progress=progress)


if __name__ == "__main__":
    main()
