# SPDX-License-Identifier: Apache-2.0
"""Verilates a top and compiles it; all programs around a model are built on this.

Verilator's makefile compiles its run-time library again for each model, and a precompiled header for each, which takes longer than a
block's own code. Here the library is compiled once for each set of flags, and a model in two files: what runs in every clock, optimized,
and what runs once, such as the initial content of memories, as quick to build as can be.
"""

import hashlib
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from arqlink import tree
from arqlink.building import building
from arqlink.errors import UserError
from arqlink.rtl import tools

CHANGED = os.stat(__file__).st_mtime
"""What is older was built in another way."""

ARGUMENTS = ["-O3", "-fno-split", "-fno-table", "--x-assign", "fast", "--x-initial", "fast", "-Wno-lint", "-Wno-fatal", "--no-timing"]
UNLIMITED_STACK = ["sh", "-c", 'ulimit -s unlimited 2> /dev/null; exec "$0" "$@"']
"""For large designs. The package's script `verilator` does the same, but not in a folder with a blank in its name."""
QUICK_TO_BUILD = "-O1"
FAST = ["-O2", "-fno-tree-slp-vectorize", "-mtune-ctrl=^qimode_math"]
"""What decides the speed is how GCC treats the model's thousands of bytes: with arithmetic in byte registers, each
result waits for the register's old content, and with bytes loaded several at a time for the stores before. In one run on
configuration paper, clocks a second: 458,000 with -O3 alone but for the vectorizer, 578,000 without byte arithmetic too,
600,000 with -O2, and 570,000 with either of Verilator's look-up tables and its splitting of blocks. Instructions for this one
processor gain nothing. Profile feedback and clang are slower."""


def use_verilator():
    """Puts the pinned Verilator of the virtual environment on PATH."""
    package = Path(str(tools.package("verilator").__file__)).resolve().parent
    os.environ["VERILATOR_ROOT"] = str(package)
    path = f"{package / 'bin'}:{Path(sys.executable).parent}"
    if not os.environ["PATH"].startswith(path):
        os.environ["PATH"] = f"{path}:{os.environ['PATH']}"


@dataclass(frozen=True)
class Model:
    """A compiled model: what a program around it is compiled with (`flags`) and linked with (`objects`, `libraries`)."""

    flags: list[str]
    objects: list[str]
    libraries: list[str]

    @classmethod
    def load(cls, folder):
        """The model that verilate() has left in `folder`."""
        return cls(**json.loads((folder / "model.json").read_text()))

    def link(self, sources, output, options=(), link_options=()):
        """Compiles C++ `sources` with `options`, and links them with the model to the program or shared library `output`. `link_options` come
        last, as libraries must. C++ sources may be objects (.o), too."""
        tools.need("c++")
        folder = Path(output).parent
        folder.mkdir(parents=True, exist_ok=True)
        jobs = [(source, folder / f"{Path(source).stem}.o", [*self.flags, *options]) for source in sources if Path(source).suffix != ".o"]
        compile_all(jobs)
        objects = [str(job[1]) for job in jobs] + [str(source) for source in sources if Path(source).suffix == ".o"]
        partial = Path(f"{output}.part")  # a half-built program is never mistaken for a good one
        run(["c++", "-o", str(partial), *objects, *self.objects, "-pthread", *link_options, *self.libraries], folder / "link.log")
        partial.rename(output)


def verilate(sources, folder, prefix=None, arguments=(), optimize=None, options=(), waves=False, changed=0.0):
    """Verilates `sources`, the top's Verilog file first, and compiles the model in `folder`; returns a Model.

    `arguments` are for Verilator, `options` for the C++ compiler; `optimize` is how what runs in every clock is compiled: fast_options()
    unless it is given, or QUICK_TO_BUILD with `waves`. With `waves` the model can write FST. `changed` is the time of the newest file that `options` name.
    """
    tools.need("c++", "perl")
    use_verilator()
    folder.mkdir(parents=True, exist_ok=True)
    prefix = prefix or f"V{sources[0].stem}"
    for old in folder.glob(f"{prefix}*"):
        old.unlink()
    with building(f"Building the simulator of {sources[0].stem} with Verilator …"):
        trace = ["--trace-fst", "--trace-structs"] if waves else []
        names = ["--top-module", sources[0].stem, "--prefix", prefix, "--Mdir", str(folder)]
        command = [*UNLIMITED_STACK, "verilator_bin", "--cc", "--make", "json", *ARGUMENTS, *arguments, *trace, *names]
        run([*command, *map(str, sources)], folder / "verilate.log")
        files = json.loads((folder / f"{prefix}.json").read_text())["sources"]
        flags = [*_flags(waves), *options, f"-I{folder}"]
        fast = (optimize or (QUICK_TO_BUILD if waves else fast_options())).split()
        jobs = [_part(folder, prefix, speed, files, [*flags, *level]) for speed, level in (("fast", fast), ("slow", ["-O0"]))]
        compile_all(jobs)
        objects = [str(job[1]) for job in jobs] + library(files["global"], options, waves, changed)
        model = Model(flags, objects, ["-llz4", "-lz"] if waves else [])
    (folder / "model.json").write_text(json.dumps(asdict(model)))
    return model


def _part(folder, prefix, speed, files, flags):
    """One file that includes all of a model's that are `fast` or `slow`, as a job for compile_all()."""
    unit = folder / f"{prefix}__{speed}_part.cpp"
    unit.write_text("".join(f'#include "{name}"\n' for name in files.get(f"classes_{speed}", []) + files.get(f"support_{speed}", [])))
    return unit, unit.with_suffix(".o"), flags


def library(sources, options=(), waves=False, changed=0.0):
    """Verilator's run-time library as objects, compiled once for these C++ options."""
    flags = [*_flags(waves), "-O2", *options]
    folder = tree.BUILD / "verilator" / hashlib.sha256(" ".join(flags).encode()).hexdigest()[:12]
    outputs = [folder / f"{Path(source).stem}.o" for source in sources]
    with tree.locked(f"verilator-{folder.name}"):
        folder.mkdir(parents=True, exist_ok=True)
        compile_all([(s, o, flags) for s, o in zip(sources, outputs) if tree.is_stale(o, Path(s).stat().st_mtime, changed, CHANGED)])
    return list(map(str, outputs))


def _flags(waves):
    include = Path(os.environ["VERILATOR_ROOT"]) / "include"
    defines = ["-DVERILATOR=1", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TIMING=0", "-DVM_TRACE_VCD=0", "-DVM_TRACE_SAIF=0"]
    defines += [f"-DVM_TRACE={int(waves)}", f"-DVM_TRACE_FST={int(waves)}"]
    return ["-std=c++17", *defines, "-isystem", str(include), "-isystem", str(include / "vltstd")]


def compile_all(jobs):
    """Compiles (source, object, flags) each, as many at a time as there are processors."""

    def one(job):
        source, output, flags = job
        run(["c++", *flags, "-c", "-o", str(output), str(source)], Path(output).with_suffix(".log"))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, jobs))


def run(command, log):
    """Runs a command whose output goes to the file `log`; UserError names it where the command fails."""
    with open(log, "w") as output:
        done = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        raise UserError(f"The model cannot be built; see {log}.")


@cache
def fast_options():
    """Those of FAST that the C++ compiler knows: tuning flags are GCC's, and some are for one processor family."""

    def known(flag):
        command = ["c++", flag, "-x", "c++", "-fsyntax-only", "-Werror", "/dev/null"]
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0

    return " ".join(filter(known, FAST))
