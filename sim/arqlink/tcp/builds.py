# SPDX-License-Identifier: Apache-2.0
"""The programs of sim/tcp: ns-3 with a model of the link in it."""

import importlib.util
import os
from functools import cache
from pathlib import Path

from arqlink import tree
from arqlink.errors import UserError
from arqlink.link import builds as link_builds
from arqlink.rtl import verilator

SOURCES = tree.ROOT / "sim" / "tcp"
FOLDER = tree.BUILD / "tcp"
FLAGS = ["-O2", "-ffp-contract=off", "-Wall", "-Wextra"]


def ns3():
    """The folder of the package ns3, which has headers and libraries. It is not imported: that needs its Python bindings."""
    spec = importlib.util.find_spec("ns3")
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not places:
        raise UserError("ns-3 is not installed; run 'make setup'.")
    return Path(places[0])


@cache
def program(name="tcp_run"):
    """A program of sim/tcp: `tcp_run`, or `reno_script`, which has the tests' scripts; builds them where necessary, once in a process."""
    link_builds.program()
    with tree.locked("tcp-program"):
        FOLDER.mkdir(parents=True, exist_ok=True)
        command = ["make", "-s", "-C", str(SOURCES), f"OUT={FOLDER}", f"LINK={link_builds.FOLDER / 'objects'}", f"REGS={tree.REGS}", f"NS3={ns3()}"]
        verilator.run([*command, f"FLAGS={' '.join(FLAGS)}", "-j", str(os.cpu_count())], FOLDER / "program.log")
    return FOLDER / name
