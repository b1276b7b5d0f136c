# SPDX-License-Identifier: Apache-2.0
"""Builds `arqsim` around the Verilated pair of links, once for each configuration, again only when a source is newer."""

from arqlink import tree
from arqlink.rtl import verilator, verilog

FOLDER = tree.ROOT / "sim" / "pair"
END = tree.ROOT / "sim" / "end"
INCLUDES = [f"-I{FOLDER}", f"-I{END}"]
TOP = "ArqPair"
PARTS = ("arqsim", "arq_pair_sim", "job", "packet_format", "pair_capture", "pair_registers", "pair_reports")
SOURCES = [FOLDER / f"{name}.cpp" for name in PARTS] + [END / "pcapng.cpp", END / "unit_capture.cpp"]


def changed():
    """Time of the newest source in the folders of this program's parts."""
    return max(tree.newest(folder, "*.*") for folder in (FOLDER, END))


def simulator(config, waves=False):
    """Path of the program for a configuration; builds it where necessary. With `waves` it can write FST."""
    source = verilog.generate(TOP, config)
    folder = tree.BUILD / "sim" / (f"{config}-waves" if waves else config)
    program = folder / "arqsim"
    with tree.locked(f"sim-{folder.name}"):
        if tree.is_stale(program, source.stat().st_mtime, changed(), verilator.CHANGED):
            model = verilator.verilate([source], folder, waves=waves)
            model.link(SOURCES, program, ["-O2", "-Wall", *INCLUDES])
    return program
