# SPDX-License-Identifier: Apache-2.0
"""C++ programs of the tree, built by the Makefile beside their sources."""

import os
import shutil
import subprocess
from pathlib import Path

from arqlink import locks, tree
from arqlink.building import building
from arqlink.rtl import tools, verilator

WARNINGS = ["-Wall", "-Wextra"]
EXACT = ["-O2", "-ffp-contract=off"]
"""Results are the same on each machine."""


def make(sources, folder, flags, **variables):
    """Brings what the Makefile in `sources` makes up to date in `folder`; `variables` are more of its variables, paths."""
    paths = {"OUT": folder, "REGS": tree.REGS, **variables}
    # Seen from the sources: make takes a blank, which the tree's own name may have, for the end of a name.
    given = {name: os.path.relpath(os.path.realpath(path), os.path.realpath(sources)) for name, path in paths.items()}
    given |= {"FLAGS": " ".join([*flags, *EXACT, *WARNINGS]), "CXX": " ".join(compiler())}
    with locks.locked(f"{folder.name}-program"):
        tools.need("c++", "make")
        folder.mkdir(parents=True, exist_ok=True)
        command = ["make", "-s", "-C", str(sources), "-j", str(os.cpu_count()), *(f"{name}={value}" for name, value in given.items())]
        if subprocess.run([*command, "--question"], check=False, capture_output=True).returncode:
            with building(f"Compiling the programs of {sources.name} …"):
                verilator.run(command, folder / "program.log", ccache_environment())


def compiler(name="c++"):
    """A compiler, behind ccache where it is installed."""
    return ["ccache", name] if shutil.which("ccache") else [name]


def ccache_environment():
    """ccache takes paths in the tree for the same in each clone; in $ARQLINK_CACHE it has a folder of its own."""
    folder = os.environ.get("ARQLINK_CACHE")
    own = {"CCACHE_DIR": str(Path(folder) / "ccache")} if folder else {}
    return {"CCACHE_BASEDIR": str(tree.ROOT), "CCACHE_NOHASHDIR": "1", **own, **os.environ}
