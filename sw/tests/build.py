# SPDX-License-Identifier: Apache-2.0
"""Builds the driver: as a shared library for the host, as objects for rv32im."""

import subprocess
from functools import cache
from typing import Any

import cffi

from arqlink.cache import digest, obtain
from arqlink.locks import locked
from arqlink.rtl import native
from arqlink.run import pair_simulator
from arqlink.tree import BUILD, ROOT

DRIVER = ROOT / "sw" / "driver"
INCLUDES = ["-I", str(DRIVER / "include"), "-I", str(ROOT / "rtl" / "regs")]
STRICT = ["-std=c11", "-ffreestanding", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror"]
CONFIG = "montecarlo"
"""Configuration of the pair that the driver is tested on."""
SOURCES = sorted((DRIVER / "src").glob("*.c"))


def inputs():
    """What a driver for the host is built from, and the C of its tests."""
    return [path for folder in (DRIVER, ROOT / "rtl" / "regs", ROOT / "sw" / "tests") for path in sorted(folder.rglob("*.[ch]"))]


def library(name="arqlink", *more):
    """Path of the driver as a shared library, with the strict warnings; `more`: sources and options beside the driver's."""
    return shared(BUILD / "sw" / "host" / f"lib{name}.so", [*SOURCES, *more], ["-O2"], inputs())


def shared(output, sources, options, made_from):
    """Path of a shared library of C `sources`, built where the files `made_from` have changed: another process may have it loaded."""

    def make():
        output.parent.mkdir(parents=True, exist_ok=True)
        run("gcc", *STRICT, "-g", "-fPIC", "-shared", *options, *INCLUDES, *map(str, sources), "-o", str(output))

    with locked(f"sw-{output.stem}"):
        return obtain(output, digest(*made_from, *options, *map(str, sources)), make)


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
            run(*native.compiler("gcc"), *STRICT, "-O2", *options, *INCLUDES, "-c", str(source), "-o", str(output))
        warnings = ["-O1", "-Wall", "-Wextra", *options, *pair_simulator.INCLUDES, *INCLUDES]
        sanitizers = [option for option in options if option.startswith("-fsanitize")]
        parts = [main, pair_simulator.FOLDER / "arq_pair_sim.cpp", *objects]
        return model.link(parts, folder / name, warnings, sanitizers, [pair_simulator.FOLDER, pair_simulator.END, main.parent, DRIVER, ROOT / "rtl" / "regs"])
