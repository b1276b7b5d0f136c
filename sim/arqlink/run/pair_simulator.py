# SPDX-License-Identifier: Apache-2.0
"""Builds `arqsim` around the Verilated pair of links, once for each configuration, again only when a source is newer."""

from arqlink import tree
from arqlink.rtl import verilator, verilog

HARNESS = tree.ROOT / "sim" / "harness"
TOP = "ArqPair"
WIRE = tree.ROOT / "sim" / "wire"
SOURCES = [
    *(
        HARNESS / name
        for name in ("arqsim.cpp", "arq_pair_sim.cpp", "job.cpp", "packet_format.cpp", "pair_capture.cpp", "pair_registers.cpp", "pair_reports.cpp")
    ),
    *(WIRE / name for name in ("pcapng.cpp", "unit_capture.cpp")),
]


def simulator(config, waves=False):
    """Path of the program for a configuration; builds it where necessary. With `waves` it can write FST."""
    source = verilog.generate(TOP, config)
    folder = tree.BUILD / "sim" / (f"{config}-waves" if waves else config)
    program = folder / "arqsim"
    with tree.locked(f"sim-{folder.name}"):
        times = (source.stat().st_mtime, tree.newest(HARNESS, "*.*"), tree.newest(WIRE, "*.*"), verilator.CHANGED)
        if tree.is_stale(program, *times):
            model = verilator.verilate([source], folder, waves=waves)
            model.link(SOURCES, program, ["-O2", "-Wall", f"-I{HARNESS}", f"-I{WIRE}"])
    return program
