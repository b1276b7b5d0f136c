# SPDX-License-Identifier: Apache-2.0
"""Builds the C++ simulator of the pair of links, once for each configuration, again only when a source is newer."""

import os
import subprocess
from functools import cache

from arqlink import rtl
from arqlink.errors import UserError

HARNESS = rtl.ROOT / "sim" / "harness"
TOP = "ArqPair"
SOURCES = ("arqsim.cpp", "arq_pair_sim.cpp", "job.cpp", "packet_format.cpp")
CHANGED = os.stat(__file__).st_mtime
"""What is older was built in another way."""
MODEL_FLAGS = ["-O3", "-fno-split", "-fno-table", "--x-assign", "fast", "--x-initial", "fast", "-Wno-fatal"]
CXX_FLAGS = "-std=c++17 -Wall"
QUICK_TO_BUILD = "-O1"
FAST = ["-O2", "-fno-tree-slp-vectorize", "-mtune-ctrl=^qimode_math"]
"""What decides the speed is how GCC treats the model's thousands of bytes: with arithmetic in byte registers, each
result waits for the register's old content, and with bytes loaded several at a time for the stores before. In one run on
configuration paper, clocks a second: 458,000 with -O3 alone but for the vectorizer, 578,000 without byte arithmetic too,
600,000 with -O2, and 570,000 with either of Verilator's look-up tables and its splitting of blocks. Instructions for this one
processor gain nothing. Profile feedback and clang are slower."""


def simulator(config, waves=False):
    """Path of the program `arqsim` for a configuration; builds it where necessary. With `waves` it can write FST."""
    source = rtl.generate(TOP, config)
    folder = rtl.BUILD / "sim" / (f"{config}-waves" if waves else config)
    program = folder / "arqsim"
    with rtl.locked(f"sim-{folder.name}"):
        times = (source.stat().st_mtime, rtl.newest(HARNESS, "*.*"), CHANGED)
        if rtl.is_stale(program, *times):
            verilate(source, folder, [HARNESS / name for name in SOURCES], program, f"-I{HARNESS}", waves)
    return program


def verilate(source, folder, cpp_sources, program, options="", waves=False, more=()):
    """Verilates a top's Verilog file and links it with C++ sources; `program` is the result. `options` are for the compiler,
    `more` is Verilog that the top needs besides."""
    rtl.use_verilator(QUICK_TO_BUILD if waves else fast_options())
    folder.mkdir(parents=True, exist_ok=True)
    program.unlink(missing_ok=True)  # a half-built program is never taken for a good one
    command = ["verilator", "--cc", "--exe", "--build", "-j", str(os.cpu_count())]
    command += MODEL_FLAGS + ["--no-timing", "-Wno-lint", "--top-module", source.stem, "--Mdir", str(folder), "-o", str(program)]
    command += ["-CFLAGS", f"{CXX_FLAGS} {options}"]
    command += ["--trace-fst", "--trace-structs"] if waves else []
    log = folder / "build.log"
    with open(log, "w") as output:
        result = subprocess.run([*command, *map(str, (source, *more, *cpp_sources))], stdout=output, stderr=subprocess.STDOUT, check=False)
    if result.returncode:
        raise UserError(f"The simulator cannot be built; see {log}.")


@cache
def fast_options():
    """Those of FAST that the C++ compiler knows: tuning flags are GCC's, and some are for one processor family."""

    def known(flag):
        command = ["c++", flag, "-x", "c++", "-fsyntax-only", "-Werror", "/dev/null"]
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0

    return " ".join(filter(known, FAST))
