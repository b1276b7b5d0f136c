# SPDX-License-Identifier: Apache-2.0
"""All figures of the papers: what is missing of them is simulated."""

from arqlink import tree
from arqlink.report.progress import progress_bar
from arqlink.rtl import tools
from arqlink_research.papers import beyond, figure, modes, onboard, peng, reservation, rr4752, zhu
from arqlink_research.sweep.store import Store

FIGURES = rr4752.FIGURES + zhu.FIGURES + reservation.FIGURES + onboard.FIGURES + peng.FIGURES + modes.FIGURES + beyond.FIGURES
TRACES = zhu.TRACES + reservation.TRACES + peng.TRACES
NAMES = [one.name for one in (*FIGURES, *TRACES)]
QUICK = {"seconds": 400, "warm_up": 100}, 2
FULL = {"seconds": 1900, "warm_up": 100}, 8
"""Settings, and the number of seeds. RR-4752 ran 2000 seconds."""


def simulate(wanted, more, count, on_rtl, scheduler):
    """Runs what is missing, and writes the CSV files. All figures share a store: many points are in several."""
    with Store(tree.BUILD / "papers" / "points.sqlite") as store:
        run([task for one in wanted for task in one.tasks(count, more)], store, scheduler, "runs")
        if on_rtl:
            run([task for one in wanted for task in one.rtl_tasks()], store, scheduler, "runs on the RTL")
        for one in wanted:
            path = figure.FOLDER / f"{one.name}.csv"
            kept = figure.rtl_rows(path.read_text()) if path.exists() else {}
            found = one.rtl_rows(store.results(one.rtl_tasks()))
            rtl = {point: row for point, row in (kept | found).items() if point in one.rtl}
            results = store.results(one.tasks(count, more))
            path.write_text(figure.write_csv(one.rows(results, count, more, rtl)))


def run(tasks, store, scheduler, label):
    """Runs what the store lacks of the tasks."""
    tools.package("distributed")
    from arqlink_research.sweep import runner  # Dask takes a while to load

    with progress_bar(label) as progress:
        runner.run(tasks, store, scheduler, progress=progress)
