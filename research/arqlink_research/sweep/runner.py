# SPDX-License-Identifier: Apache-2.0
"""Runs what a store lacks of a sweep, on Dask."""

import os
from contextlib import contextmanager, nullcontext
from typing import Any

from dask.distributed import Client, LocalCluster, as_completed
from distributed.scheduler import KilledWorker

from arqlink.errors import UserError
from arqlink.model import prospects
from arqlink_research.sweep.kinds import KINDS

RETRIES = 3
"""How often a run is tried again after its worker was lost."""
AHEAD = 4
"""Tasks for each thread that are with the scheduler at a time: an end of this program leaves few of them running."""


def perform(task):
    """One run, on a worker."""
    return KINDS[task.kind].run(task.settings, task.seed)


@contextmanager
def cluster(workers=None):
    """Address of a Dask scheduler on this machine, with `workers` processes."""
    # An address of None: no dashboard. Dask's annotations do not know that.
    options: dict[str, Any] = {"dashboard_address": None, "silence_logs": 50}
    with LocalCluster(n_workers=workers or os.cpu_count(), threads_per_worker=1, **options) as local:
        yield local.scheduler_address  # pyright: ignore[reportAttributeAccessIssue]


def connect(scheduler):
    """A client of the Dask scheduler at an address."""
    try:
        return Client(scheduler, timeout=10)
    except (OSError, ValueError) as error:
        raise UserError(f"There is no Dask scheduler at {scheduler}: {str(error).splitlines()[0]}.") from None


def run(tasks, store, scheduler=None, workers=None, progress=lambda done, total: None):
    """Runs those of `tasks` that `store` lacks, each of them once; returns how many they were. Rows are the same with any number of workers."""
    tasks, have = list({task.key: task for task in tasks}.values()), store.keys()
    missing = [task for task in tasks if task.key not in have]
    progress(len(tasks) - len(missing), len(tasks))
    if not missing:
        return 0
    whole = sum(KINDS[task.kind].seconds(task.settings) for task in missing)
    prospects.foretell(whole / (workers or os.cpu_count() or 1), f"{len(missing)} runs")
    for kind, settings in {str((task.kind, task.settings)): (task.kind, task.settings) for task in missing}.values():
        KINDS[kind].build(settings)  # here, and not on all workers at once
    with cluster(workers) if scheduler is None else nullcontext(scheduler) as address, connect(address) as client:
        _work(client, missing, store, lambda done: progress(len(tasks) - len(missing) + done, len(tasks)))
    return len(missing)


def _work(client, missing, store, progress):
    waiting = iter(missing)
    threads = max(1, sum(client.nthreads().values()))
    running = {}

    def submit():
        task = next(waiting, None)
        if task is not None:
            future = client.submit(perform, task, key=task.key, retries=RETRIES, pure=True)
            running[future.key] = task
            return future
        return None

    first = [future for future in (submit() for _ in range(AHEAD * threads)) if future is not None]
    ordered = as_completed(first)
    for done, future in enumerate(ordered, 1):
        try:
            result = future.result()
        except KilledWorker:
            raise UserError(f"A run was lost with its worker {RETRIES + 1} times: {running[future.key].key}.") from None
        store.add(running.pop(future.key), result)
        progress(done)
        if (more := submit()) is not None:
            ordered.add(more)
