# SPDX-License-Identifier: Apache-2.0
"""Builds the driver: as a shared library for the host, as objects for rv32im."""

import subprocess

from arqlink.rtl import BUILD, ROOT, locked

DRIVER = ROOT / "sw" / "driver"
INCLUDES = ["-I", str(DRIVER / "include"), "-I", str(ROOT / "rtl" / "regs")]
STRICT = ["-std=c11", "-ffreestanding", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror"]
SOURCES = sorted((DRIVER / "src").glob("*.c"))


def library():
    """Path of the driver as a shared library, with the strict warnings."""
    folder = BUILD / "sw" / "host"
    with locked("sw-host"):
        folder.mkdir(parents=True, exist_ok=True)
        output = folder / "libarqlink.so"
        run("gcc", *STRICT, "-O2", "-g", "-fPIC", "-shared", *INCLUDES, *map(str, SOURCES), "-o", str(output))
    return output


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
