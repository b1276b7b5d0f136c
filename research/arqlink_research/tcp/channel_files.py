# SPDX-License-Identifier: Apache-2.0
"""Files that describe a channel to the simulator: made where they are missing, by names that say what is in them."""

import hashlib

from arqlink import locks, tree

FOLDER = tree.BUILD / "channels"


def path(kind, *of):
    """Where a file of such a kind is, by all that its content follows from."""
    return FOLDER / f"{kind}-{hashlib.sha256(' '.join(map(str, of)).encode()).hexdigest()[:16]}.txt"


def make(file, write):
    """Calls `write(file)` where the file is missing, one process at a time."""
    with locks.locked("channels"):
        if not file.exists():
            FOLDER.mkdir(parents=True, exist_ok=True)
            write(file)
