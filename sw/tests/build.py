# SPDX-License-Identifier: Apache-2.0
"""Builds the driver: as a shared library for the host, as objects for rv32im."""

import os
import subprocess
from pathlib import Path

from arqlink import build
from arqlink.rtl import BUILD, ROOT, is_stale, locked, newest, use_verilator

DRIVER = ROOT / "sw" / "driver"
INCLUDES = ["-I", str(DRIVER / "include"), "-I", str(ROOT / "rtl" / "regs")]
STRICT = ["-std=c11", "-ffreestanding", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror"]
CONFIG = "montecarlo"
"""Configuration of the pair that the driver is tested on."""
SOURCES = sorted((DRIVER / "src").glob("*.c"))


def sources_changed():
    """Times of the newest of what a driver is built from."""
    return newest(DRIVER, "*.[ch]"), newest(ROOT / "rtl" / "regs", "*.h"), newest(ROOT / "sw" / "tests", "*.[ch]*"), Path(__file__).stat().st_mtime


def library():
    """Path of the driver as a shared library, with the strict warnings."""
    folder = BUILD / "sw" / "host"
    with locked("sw-host"):
        folder.mkdir(parents=True, exist_ok=True)
        output = folder / "libarqlink.so"
        if is_stale(output, *sources_changed()):  # another process may have it loaded
            run("gcc", *STRICT, "-O2", "-g", "-fPIC", "-shared", *INCLUDES, *map(str, SOURCES), "-o", str(output))
    return output


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def on_pair():
    """Path of the program that has the driver on the Verilated pair; links the objects that `arqsim` is made of."""
    use_verilator()
    model = build.simulator(CONFIG).parent
    folder = BUILD / "sw" / "pair"
    program = folder / "driver_on_pair"
    verilator = Path(os.environ["VERILATOR_ROOT"]) / "include"
    with locked("sw-pair"):
        folder.mkdir(parents=True, exist_ok=True)
        if not is_stale(program, *sources_changed(), (model / "arqsim").stat().st_mtime):
            return program
        objects = []
        for source in SOURCES:
            objects.append(str(folder / f"{source.stem}.o"))
            run("gcc", *STRICT, "-O2", *INCLUDES, "-c", str(source), "-o", objects[-1])
        headers = [f"-I{build.HARNESS}", f"-I{model}", f"-isystem{verilator}", f"-isystem{verilator}/vltstd", *INCLUDES]
        libraries = [str(model / name) for name in ("arq_pair_sim.o", f"V{build.TOP}__ALL.a")]
        libraries += [str(p) for p in sorted(model.glob("verilated*.o"))]
        source = ROOT / "sw" / "tests" / "on_pair.cpp"
        run("g++", "-std=c++17", "-O1", "-Wall", "-Wextra", *headers, str(source), *objects, *libraries, "-pthread", "-o", str(program))
    return program
