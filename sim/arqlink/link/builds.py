# SPDX-License-Identifier: Apache-2.0
"""What runs over a link model are made of: the program `link_run`, and a shared library for each build of a link end."""

import os

from arqlink import tree
from arqlink.rtl import verilated_end, verilator

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


def library(config, settings=()):
    """The shared library of a link end in configuration `config`, with the values in `settings` ("name=value") changed."""
    name = "-".join([config, *settings])
    return verilated_end.library(config, settings, FOLDER / "ends" / tree.file_name(name))
