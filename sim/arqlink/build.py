# SPDX-License-Identifier: Apache-2.0
"""Builds the C++ simulator of the pair of links, once for each configuration, again only when a source is newer."""

import os
import subprocess

from arqlink import rtl
from arqlink.errors import UserError

HARNESS = rtl.ROOT / "sim" / "harness"
TOP = "ArqPair"
SOURCES = ("arqsim.cpp", "arq_pair_sim.cpp", "job.cpp")
VERILATOR_FLAGS = ["-O3", "-fno-split", "--x-assign", "fast", "--x-initial", "fast", "--no-timing", "-Wno-fatal", "-Wno-lint"]
CXX_FLAGS = "-std=c++17 -Wall"
FAST, QUICK_TO_BUILD = "-O3 -march=native", "-O1"
"""By measurement on configuration paper: -O3 beats -O2 by 3 %, -O1 by 10 %, -Os by 20 %; Verilator's -fno-split is worth 5 %.
Profile feedback, --flatten, --output-split 0, -fno-inline, -fno-dfg and -fno-expand are slower or make no difference."""


def simulator(config, waves=False):
    """Path of the program `arqsim` for a configuration; builds it where necessary. With `waves` it can write FST."""
    source = rtl.generate(TOP, config)
    folder = rtl.BUILD / "sim" / (f"{config}-waves" if waves else config)
    program = folder / "arqsim"
    with rtl.locked(f"sim-{folder.name}"):
        times = (source.stat().st_mtime, rtl.newest(HARNESS, "*.*"), os.stat(__file__).st_mtime)
        if rtl.is_stale(program, *times):
            verilate(source, folder, [HARNESS / name for name in SOURCES], program, waves)
    return program


def verilate(source, folder, cpp_sources, program, waves=False):
    """Verilates one Verilog file and links it with C++ sources; `program` is the result."""
    rtl.use_verilator()
    folder.mkdir(parents=True, exist_ok=True)
    program.unlink(missing_ok=True)  # a half-built program is never taken for a good one
    command = ["verilator", "--cc", "--exe", "--build", "-j", str(os.cpu_count())]
    command += VERILATOR_FLAGS + ["--top-module", source.stem, "--Mdir", str(folder), "-o", str(program)]
    command += ["-CFLAGS", f"{CXX_FLAGS} {QUICK_TO_BUILD if waves else FAST} -I{HARNESS}"]
    command += ["--trace-fst", "--trace-structs"] if waves else []
    log = folder / "build.log"
    with open(log, "w") as output:
        result = subprocess.run(
            [*command, str(source), *map(str, cpp_sources)], stdout=output, stderr=subprocess.STDOUT, check=False
        )
    if result.returncode:
        raise UserError(f"The simulator cannot be built; see {log}.")
