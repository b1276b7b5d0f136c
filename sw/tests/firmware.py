# SPDX-License-Identifier: Apache-2.0
"""The firmware on a host: as a shared library, and as a program that has it on the Verilated pair."""

import functools
import subprocess

from arqlink.tree import BUILD, ROOT
from sw.tests import build

FOLDER = ROOT / "sw" / "firmware"
ON_SOFT_CPU = ("main", "receiver", "console")
"""What needs the soft CPU's own devices."""
SOURCES = [s for s in sorted(FOLDER.glob("*.c")) if s.stem not in ON_SOFT_CPU]
SANITIZE = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover"]

DECLARATIONS = """
#include "microseconds.h"
#include "probability.h"
#include "arqlink_tuner.h"
"""


@functools.cache
def library():
    """(ffi, library): functions of the firmware and of the driver."""
    output = BUILD / "sw" / "firmware_host" / "libfirmware.so"
    build.shared(output, [*build.SOURCES, *SOURCES], ["-O1", "-I", str(FOLDER)], [*build.inputs(), *sorted(FOLDER.glob("*.[ch]"))])
    return build.load(output, DECLARATIONS, "-I", str(FOLDER))


def on_pair():
    """Path of the program that has the firmware on the Verilated pair, with sanitizers."""
    main = ROOT / "sw" / "tests" / "firmware_on_pair.cpp"
    return build.with_pair("firmware_on_pair", main, tuple(SOURCES), (*SANITIZE, "-I", str(FOLDER)))


def talk(lines, idle=20000, *options):
    """Types lines into the firmware on the pair, `idle` clocks after each. Returns what it printed after each of them, as lists of
    lines without the echo; the first list is what came before."""
    typed = "".join(f"{line}\r" for line in lines)
    command = [str(on_pair()), str(idle), *map(str, options)]
    done = subprocess.run(command, input=typed.encode(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    answers = [[]]
    for line in done.stdout.decode().split("\r\n"):
        prompts, typed = 0, line
        while typed.startswith("> "):
            prompts, typed = prompts + 1, typed[2:]
        if prompts and len(answers) <= len(lines) and typed == lines[len(answers) - 1].lstrip("\x03"):
            answers.append([])
        elif typed:
            answers[-1].append(typed)
    assert len(answers) == len(lines) + 1, done.stdout.decode()
    return answers
