# SPDX-License-Identifier: Apache-2.0
"""The program `link_run`. The rtl model also needs a shared library of a link end: arqlink.rtl.verilated_end."""

import os

from arqlink import tree
from arqlink.rtl import verilator

SOURCES = tree.ROOT / "sim" / "link"
FOLDER = tree.BUILD / "link"
FLAGS = ["-std=c++17", "-O2", "-ffp-contract=off", "-Wall", "-Wextra"]


def program():
    """The program `link_run`; builds it where necessary."""
    with tree.locked("link-program"):
        FOLDER.mkdir(parents=True, exist_ok=True)
        command = ["make", "-s", "-C", str(SOURCES), f"OUT={FOLDER}", f"REGS={tree.REGS}", "-j", str(os.cpu_count())]
        verilator.run([*command, f"FLAGS={' '.join(FLAGS)}"], FOLDER / "program.log")
    return FOLDER / "link_run"
