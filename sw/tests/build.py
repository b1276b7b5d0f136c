# SPDX-License-Identifier: Apache-2.0
"""Builds the driver: as a shared library for the host, as objects for rv32im."""

import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import cffi

from arqlink.run import pair_simulator
from arqlink.tree import BUILD, ROOT, is_stale, locked, newest

DRIVER = ROOT / "sw" / "driver"
INCLUDES = ["-I", str(DRIVER / "include"), "-I", str(ROOT / "rtl" / "regs")]
STRICT = ["-std=c11", "-ffreestanding", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror"]
COMPILER = ["ccache", "gcc"] if shutil.which("ccache") else ["gcc"]
CONFIG = "montecarlo"
"""Configuration of the pair that the driver is tested on."""
SOURCES = sorted((DRIVER / "src").glob("*.c"))


def sources_changed():
    """Times of the newest of what a driver is built from."""
    return newest(DRIVER, "*.[ch]"), newest(ROOT / "rtl" / "regs", "*.h"), newest(ROOT / "sw" / "tests", "*.[ch]*"), Path(__file__).stat().st_mtime


def library(name="arqlink", *more):
    """Path of the driver as a shared library, with the strict warnings; `more`: sources and options beside the driver's."""
    folder = BUILD / "sw" / "host"
    with locked("sw-host"):
        folder.mkdir(parents=True, exist_ok=True)
        output = folder / f"lib{name}.so"
        if is_stale(output, *sources_changed()):  # another process may have it loaded
            run("gcc", *STRICT, "-O2", "-g", "-fPIC", "-shared", *INCLUDES, *map(str, SOURCES), *more, "-o", str(output))
    return output


def load(library, text, *options) -> tuple[Any, Any]:
    """(ffi, library), of types that only cffi knows: a shared library with what `text`, C with the headers it includes, declares after the preprocessor."""
    ffi = cffi.FFI()
    ffi.cdef(run("gcc", *STRICT, "-E", "-P", *INCLUDES, *options, "-x", "c", "-", input=text))
    return ffi, ffi.dlopen(str(library))


def run(*command, input=None):
    done = subprocess.run(command, input=input, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def on_pair():
    """Path of the program that has the driver on the Verilated pair."""
    return with_pair("driver_on_pair", ROOT / "sw" / "tests" / "on_pair.cpp", (), ())


@cache
def with_pair(name, main, sources, options):
    """Path of a program: the C++ file `main`, C files `sources` and the driver, compiled with `options`, and the pair of links that `arqsim` has."""
    model, folder = pair_simulator.model(CONFIG), BUILD / "sw" / name
    with locked(f"sw-{name}"):
        folder.mkdir(parents=True, exist_ok=True)
        objects = [folder / f"{source.stem}.o" for source in [*SOURCES, *sources]]
        for source, output in zip([*SOURCES, *sources], objects):
            run(*COMPILER, *STRICT, "-O2", *options, *INCLUDES, "-c", str(source), "-o", str(output))
        warnings = ["-O1", "-Wall", "-Wextra", *options, *pair_simulator.INCLUDES, *INCLUDES]
        sanitizers = [option for option in options if option.startswith("-fsanitize")]
        parts = [main, pair_simulator.FOLDER / "arq_pair_sim.cpp", *objects]
        return model.link(parts, folder / name, warnings, sanitizers, [pair_simulator.FOLDER, pair_simulator.END, main.parent, DRIVER, ROOT / "rtl" / "regs"])
