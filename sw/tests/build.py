# SPDX-License-Identifier: Apache-2.0
"""Builds the driver: as a shared library for the host, as objects for rv32im."""

import subprocess
from pathlib import Path
from typing import Any

import cffi

from arqlink.rtl.verilator import Model
from arqlink.run import pair_simulator
from arqlink.tree import BUILD, ROOT, is_stale, locked, newest

DRIVER = ROOT / "sw" / "driver"
INCLUDES = ["-I", str(DRIVER / "include"), "-I", str(ROOT / "rtl" / "regs")]
STRICT = ["-std=c11", "-ffreestanding", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror"]
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
    return with_pair("driver_on_pair", ROOT / "sw" / "tests" / "on_pair.cpp", [], [], sources_changed())


def with_pair(name, main, sources, options, changed):
    """Path of a program: the C++ file `main`, C files `sources` and the driver, compiled with `options`, and the objects that
    `arqsim` is made of. Built where it is older than one of the times `changed`."""
    simulator = pair_simulator.simulator(CONFIG)
    folder = BUILD / "sw" / name
    program = folder / name
    with locked(f"sw-{name}"):
        folder.mkdir(parents=True, exist_ok=True)
        if not is_stale(program, *changed, simulator.stat().st_mtime):
            return program
        objects = []
        for source in [*SOURCES, *sources]:
            objects.append(str(folder / f"{source.stem}.o"))
            run("gcc", *STRICT, "-O2", *options, *INCLUDES, "-c", str(source), "-o", objects[-1])
        warnings = ["-O1", "-Wall", "-Wextra", *options, *pair_simulator.INCLUDES, *INCLUDES]
        sanitizers = [option for option in options if option.startswith("-fsanitize")]
        Model.load(simulator.parent).link([main, pair_simulator.FOLDER / "arq_pair_sim.cpp", *objects], program, warnings, sanitizers)
    return program
