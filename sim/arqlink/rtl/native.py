# SPDX-License-Identifier: Apache-2.0
"""C++ programs of the tree, built by the Makefile beside their sources."""

import os

from arqlink import tree
from arqlink.rtl import tools, verilator

WARNINGS = ["-Wall", "-Wextra"]
EXACT = ["-O2", "-ffp-contract=off"]
"""Results are the same on each machine."""


def make(sources, folder, flags, **variables):
    """Brings what the Makefile in `sources` makes up to date in `folder`; `variables` are more of its variables."""
    given = {"OUT": folder, "REGS": tree.REGS, "FLAGS": " ".join([*flags, *EXACT, *WARNINGS]), **variables}
    with tree.locked(f"{folder.name}-program"):
        tools.need("c++", "make")
        folder.mkdir(parents=True, exist_ok=True)
        command = ["make", "-s", "-C", str(sources), "-j", str(os.cpu_count()), *(f"{name}={value}" for name, value in given.items())]
        verilator.run(command, folder / "program.log")
