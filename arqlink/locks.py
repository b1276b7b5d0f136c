# SPDX-License-Identifier: Apache-2.0
"""Locks for those who build in the source tree."""

import fcntl
from contextlib import contextmanager

from arqlink import tree


@contextmanager
def locked(name, folder=None):
    """One process at a time. The lock's file is in `folder`, beside what it guards, or in the build folder, which tests that run at the same time share."""
    tree.require()
    folder = folder or tree.BUILD
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / f".{tree.file_name(name)}.lock", "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
