# SPDX-License-Identifier: Apache-2.0
"""Shows on standard error how far something is."""

import time
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn


@contextmanager
def progress_bar(label, delay=1.0):
    """Gives a function (done, total) that shows a bar on standard error once it has taken longer than `delay` s."""
    console = Console(stderr=True)
    bar = Progress(TextColumn(label), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(), console=console, transient=True)
    task, begun = bar.add_task(label, total=None), time.monotonic()

    def update(done, total):
        if not bar.live.is_started and console.is_terminal and time.monotonic() - begun > delay:
            bar.start()
        bar.update(task, completed=done, total=total)

    try:
        yield update
    finally:
        if bar.live.is_started:
            bar.stop()
