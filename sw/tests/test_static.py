# SPDX-License-Identifier: Apache-2.0
"""What can be said about the driver without running it."""

import re

import pytest

from arqlink.locks import locked
from arqlink.tree import BUILD
from sw.tests import build


def make(*targets):
    with locked("sw"):  # the firmware is linked with it
        output = build.run("make", "-s", "-C", str(build.DRIVER), f"OUT={BUILD / 'sw' / 'driver'}", *targets)
    print(output)
    return output


@pytest.fixture(scope="module")
def sizes():
    """Output of the build for rv32im: text, data and bss of each object, and in all."""
    lines = [line.split() for line in make().splitlines() if re.match(r"\s+\d", line)]
    return {line[5]: tuple(map(int, line[:3])) for line in lines}


def test_no_globals(sizes):
    assert len(sizes) == len(build.SOURCES) + 1
    assert all(data == bss == 0 for _, data, bss in sizes.values())


def test_the_whole_driver_fits(sizes):
    """Text and constants of all objects, the tuner included."""
    assert sizes["(TOTALS)"][0] <= 10.5 * 1024


@pytest.mark.parametrize("target, limit", [("linked-link", 8.25 * 1024), ("linked", 9.75 * 1024)])
def test_the_driver_fits_when_linked(sizes, target, limit):
    """Every function that drives a link, the tuner included, and all of them; with what the compiler's own library adds."""
    sections = dict(re.findall(r"^\.(text|rodata)\s+(\d+)", make(target), re.M))
    assert 4096 < sum(map(int, sections.values())) <= limit


def test_needs_nothing_of_a_library(sizes):
    """What is missing is what the compiler may call in a freestanding program, and its own prologues; no 64-bit division, which is 2 KiB."""
    names = build.run("riscv64-unknown-elf-nm", "-u", str(BUILD / "sw" / "driver" / "libarqlink.a")).split()
    missing = {n for n in names if n not in ("U",) and not n.endswith(":") and not n.startswith("arqlink_")}
    assert missing <= {"memcpy", "memset"} | {n for n in missing if n.startswith(("__riscv_save_", "__riscv_restore_"))}


def test_accesses_are_aligned(sizes):
    """The soft CPU traps on others. Structures are aligned, so the offset in the instruction decides."""
    code = build.run("riscv64-unknown-elf-objdump", "-d", "-M", "no-aliases", str(BUILD / "sw" / "driver" / "libarqlink.a"))
    accesses = re.findall(r"\t[ls]([hw])u?\t\w+,(-?\d+)\(", code)
    assert len(accesses) > 200
    assert all(int(offset) % {"h": 2, "w": 4}[size] == 0 for size, offset in accesses)


def test_cppcheck():
    build.run(
        "cppcheck", "--std=c11", "--enable=warning,style,performance,portability", "--error-exitcode=1", "-q",
        *build.INCLUDES, str(build.DRIVER / "src"),
    )  # fmt: skip
