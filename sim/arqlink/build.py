# SPDX-License-Identifier: Apache-2.0
"""Builds the C++ simulator of the pair of links, once for each configuration, again only when a source is newer."""

from arqlink import rtl
from arqlink.verilate import CHANGED, QUICK_TO_BUILD, verilate

HARNESS = rtl.ROOT / "sim" / "harness"
TOP = "ArqPair"
SOURCES = ("arqsim.cpp", "arq_pair_sim.cpp", "job.cpp", "packet_format.cpp")


def simulator(config, waves=False):
    """Path of the program `arqsim` for a configuration; builds it where necessary. With `waves` it can write FST."""
    source = rtl.generate(TOP, config)
    folder = rtl.BUILD / "sim" / (f"{config}-waves" if waves else config)
    program = folder / "arqsim"
    with rtl.locked(f"sim-{folder.name}"):
        times = (source.stat().st_mtime, rtl.newest(HARNESS, "*.*"), CHANGED)
        if rtl.is_stale(program, *times):
            model = verilate([source], folder, waves=waves, optimize=QUICK_TO_BUILD if waves else None)
            model.link([HARNESS / name for name in SOURCES], program, ["-O2", "-Wall", f"-I{HARNESS}"])
    return program
