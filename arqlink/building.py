# SPDX-License-Identifier: Apache-2.0
"""Says on standard error that something is being built, which takes up to minutes."""

import sys
from contextlib import contextmanager

from rich.console import Console


@contextmanager
def building(label):
    """A line that stays, for a log; on a terminal one that moves, and goes away with the work."""
    console = Console(stderr=True)
    if console.is_terminal:
        with console.status(label, spinner="line"):
            yield
    else:
        print(label, file=sys.stderr, flush=True)
        yield
