# SPDX-License-Identifier: Apache-2.0
"""Locks for those who build in the source tree."""

import fcntl
from contextlib import contextmanager

from arqlink import tree


@contextmanager
def locked(name, folder=None):
    """One process at a time; tests that run at the same time share the build folder. The lock is in `folder`, where that may be shared alone."""
    tree.require()
    tree.BUILD.mkdir(exist_ok=True)
    with open((folder or tree.BUILD) / f".{tree.file_name(name)}.lock", "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
