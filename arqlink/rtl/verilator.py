# SPDX-License-Identifier: Apache-2.0
"""Verilates a top and compiles it; all programs around a model are built on this.

Verilator's makefile compiles its run-time library again for each model, and a precompiled header for each, which takes longer than a
block's own code. Here library and precompiled header are made once for each set of flags, and a model is compiled in two files: what runs in
every clock, optimized, and what runs once, such as the initial content of memories, as quick to build as can be.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache as cache_once
from functools import cached_property
from importlib import metadata
from pathlib import Path

from arqlink import cache, locks, tree
from arqlink.building import building
from arqlink.errors import UserError
from arqlink.rtl import tools

ARGUMENTS = ["-O3", "-fno-split", "-fno-table", "--x-assign", "fast", "--x-initial", "fast", "-Wno-lint", "-Wno-fatal", "--no-timing"]
MODULES = Path(__file__).with_name("modules.vlt")
"""Which modules keep a function of their own."""
UNLIMITED_STACK = ["sh", "-c", 'ulimit -s unlimited 2> /dev/null; exec "$0" "$@"']
"""For large designs. The package's script `verilator` does the same, but not in a folder with a blank in its name."""
FEW_ALIASES = ["--param=sccvn-max-alias-queries-per-access=10", "-fno-tree-dse"]
"""A model is a few functions of thousands of stores, and GCC asks for each whether another one may alias it. That takes most of the time to compile,
and gains nothing: with these limits the model of montecarlo takes 12 s in place of 32, and is as fast."""
QUICK = ["-O1", *FEW_ALIASES]
"""For what runs briefly."""
FAST = ["-O2", "-fno-tree-slp-vectorize", "-mtune-ctrl=^qimode_math", "-fno-tree-pre", "-fno-code-hoisting", "-fno-gcse", *FEW_ALIASES]
"""What decides the speed is how GCC treats the model's thousands of bytes: with arithmetic in byte registers, each
result waits for the register's old content, and with bytes loaded several at a time for the stores before. In one run on
configuration paper, clocks a second: 458,000 with -O3 alone but for the vectorizer, 578,000 without byte arithmetic too,
600,000 with -O2, and 570,000 with either of Verilator's look-up tables and its splitting of blocks. Instructions for this one
processor gain nothing. Profile feedback and clang are slower."""


def use_verilator():
    """Puts the pinned Verilator of the virtual environment on PATH; returns its folder."""
    package = Path(str(tools.package("verilator").__file__)).resolve().parent
    os.environ["VERILATOR_ROOT"] = str(package)
    path = f"{package / 'bin'}:{Path(sys.executable).parent}"
    if not os.environ["PATH"].startswith(path):
        os.environ["PATH"] = f"{path}:{os.environ['PATH']}"
    return package


@dataclass(frozen=True)
class Model:
    """A Verilated top, which programs are built around.

    `sources` are Verilog files, the top's first; what Verilator and the compiler make is in `folder`. `prefix` is that of the C++ classes,
    `arguments` are for Verilator, `options` for the C++ compiler, and `uses` the files that these name; `optimize` is how what runs in every
    clock is compiled: FAST unless it is given, or QUICK with `waves`. With `waves` the model can write FST.
    """

    sources: Sequence[Path]
    folder: Path
    prefix: str = ""
    arguments: Sequence[str] = ()
    optimize: str | None = None
    options: Sequence[str] = ()
    waves: bool = False
    uses: Sequence[Path] = ()

    @cached_property
    def key(self):
        """Stands for all that the model is made from."""
        words = [self.prefix, *self.arguments, self.optimize, *self.options, self.waves]
        return cache.digest(versions(), *words, MODULES, *self.sources, *self.uses)

    def build(self):
        """Verilates and compiles it where it is not made yet; returns what a program is compiled with, and its objects and libraries."""
        built = self.folder / "model.json"
        with locks.locked(f"model-{cache.digest(str(self.folder))[:32]}"):
            if not cache.is_made(built, self.key):
                built.unlink(missing_ok=True)
                self.folder.mkdir(parents=True, exist_ok=True)
                built.write_text(json.dumps(self._verilate()))
                cache.made(built, self.key)
        return json.loads(built.read_text())

    def _verilate(self):
        tools.need("c++", "perl")
        use_verilator()
        top, folder = self.sources[0].stem, self.folder
        prefix = self.prefix or f"V{top}"
        for old in folder.glob(f"{prefix}*"):
            if old.is_file():
                old.unlink()
        with building(f"Building the simulator of {top} with Verilator …"):
            trace = ["--trace-fst", "--trace-structs"] if self.waves else []
            names = ["--top-module", top, "--prefix", prefix, "--Mdir", str(folder)]
            command = [*UNLIMITED_STACK, "verilator_bin", "--cc", "--make", "json", *ARGUMENTS, *self.arguments, *trace, *names]
            run([*command, str(MODULES), *map(str, self.sources)], folder / "verilate.log")
            files = json.loads((folder / f"{prefix}.json").read_text())["sources"]
            flags = [*_flags(self.waves), *self.options, f"-I{folder}"]
            fast = (self.optimize or known(QUICK if self.waves else FAST)).split()
            jobs = [_part(folder, prefix, speed, files, [*flags, *level]) for speed, level in (("fast", fast), ("slow", ["-O0"]))]
            compile_all([(source, output, self._with_header(of)) for source, output, of in jobs])
            objects = [str(job[1]) for job in jobs] + library(files["global"], self.options, self.waves, self.uses)
        return {"flags": flags, "objects": objects, "libraries": ["-llz4", "-lz"] if self.waves else []}

    def _with_header(self, flags):
        """`flags` with Verilator's header, precompiled once for those of them that matter to it: folders are the model's own. It takes two seconds,
        so it is for flags that many models share."""
        if self.waves:
            return flags
        common = [flag for flag in flags if not flag.startswith(("-I", "-DMODEL"))]
        own = [f"-I{path.parent}" for path in self.uses]
        folder = tree.BUILD / "verilator" / f"header-{cache.digest(versions(), *common, *self.uses)[:12]}"
        header = folder / "model.h"
        with locks.locked("made", folder):
            if not header.with_suffix(".h.gch").exists():
                header.write_text('#include "verilated.h"\n')
                compile_all([(header, header.with_suffix(".h.gch"), [*common, *own, "-x", "c++-header"])])
        return ["-include", str(header), *flags]

    def link(self, sources, output, options=(), link_options=(), uses=(), common=()):
        """The program or shared library `output` of C++ `sources` (objects, .o, too), compiled with `options`, and the model; builds it where
        necessary, and returns its path. `uses`: files and folders with headers. `link_options` come last, as libraries must. `common` are sources
        that do not know the model: they are compiled once for all."""
        key = cache.digest(self.key, *sources, *common, *options, *link_options, *uses)

        def make():
            tools.need("c++")
            model, folder = self.build(), Path(output).parent
            folder.mkdir(parents=True, exist_ok=True)
            flags = [*model["flags"], *options] if options else self._with_header(model["flags"])
            jobs = [(source, folder / f"{Path(source).stem}.o", flags) for source in sources if Path(source).suffix != ".o"]
            compile_all(jobs)
            objects = [str(job[1]) for job in jobs] + [str(source) for source in sources if Path(source).suffix == ".o"]
            objects += library(common, options, uses=[*common, *uses]) if common else []
            partial = Path(f"{output}.part")  # a half-built program is never mistaken for a good one
            run(["c++", "-o", str(partial), *objects, *model["objects"], "-pthread", *link_options, *model["libraries"]], folder / "link.log")
            partial.rename(output)

        with locks.locked(f"program-{cache.digest(str(output))[:32]}"):
            return cache.obtain(Path(output), key, make)


@cache_once
def versions():
    """Of all that a model is built by: this module, Verilator and the compiler."""
    tools.need("c++")
    compiler = subprocess.run(["c++", "--version"], capture_output=True, text=True, check=False).stdout
    return cache.digest(Path(__file__), metadata.version("verilator"), compiler, known(FAST))


def _part(folder, prefix, speed, files, flags):
    """One file that includes all of a model's that are `fast` or `slow`, as a job for compile_all()."""
    unit = folder / f"{prefix}__{speed}_part.cpp"
    unit.write_text("".join(f'#include "{name}"\n' for name in files.get(f"classes_{speed}", []) + files.get(f"support_{speed}", [])))
    return unit, unit.with_suffix(".o"), flags


def library(sources, options=(), waves=False, uses=()):
    """Objects of sources that do not know a model, such as Verilator's run-time library, compiled once for these C++ options, which name `uses`."""
    flags = [*_flags(waves), "-O2", *options]
    folder = tree.BUILD / "verilator" / cache.digest(versions(), *flags, *uses)[:12]
    outputs = [folder / f"{Path(source).stem}.o" for source in sources]
    with locks.locked("made", folder):
        compile_all([(source, output, flags) for source, output in zip(sources, outputs) if not output.exists()])
    return list(map(str, outputs))


def _flags(waves):
    include = use_verilator() / "include"
    defines = ["-DVERILATOR=1", "-DVM_SC=0", "-DVM_TIMING=0", "-DVM_TRACE_VCD=0", "-DVM_TRACE_SAIF=0"]
    defines += [f"-DVM_TRACE={int(waves)}", f"-DVM_TRACE_FST={int(waves)}"]
    return ["-std=c++17", *defines, "-isystem", str(include), "-isystem", str(include / "vltstd")]


def compile_all(jobs):
    """Compiles (source, object, flags) each, as many at a time as there are processors."""

    def one(job):
        source, output, flags = job
        partial = Path(f"{output}.part")
        run(["c++", *flags, "-c", "-o", str(partial), str(source)], Path(output).with_suffix(".log"))
        partial.rename(output)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, jobs))


def run(command, log, env=None):
    """Runs a command whose output goes to the file `log`; UserError names it where the command fails."""
    with open(log, "w") as output:
        done = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False, env=env)
    if done.returncode:
        raise UserError(f"The model cannot be built; see {log}.")


def known(flags):
    """Those that the C++ compiler knows: most are GCC's, and some are for one processor family."""
    return " ".join(filter(is_known, flags))


@cache_once
def is_known(flag):
    command = ["c++", flag, "-x", "c++", "-fsyntax-only", "-Werror", "/dev/null"]
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0
