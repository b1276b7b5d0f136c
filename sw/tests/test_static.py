# SPDX-License-Identifier: Apache-2.0
"""What can be said about the driver without running it."""

import re
import shutil

import pytest

from arqlink.rtl import BUILD, locked
from sw.tests import build

TUNER = ("choice", "estimate", "fixed", "model", "tuner")


@pytest.fixture(scope="module")
def sizes():
    """Output of the build for rv32im: text, data and bss of each object, and in all."""
    with locked("sw"):  # the firmware is linked with it
        output = build.run("make", "-s", "-C", str(build.DRIVER), f"OUT={BUILD / 'sw' / 'driver'}")
    print(output)
    lines = [line.split() for line in output.splitlines() if re.match(r"\s+\d", line)]
    return {line[5]: tuple(map(int, line[:3])) for line in lines}


def test_no_globals(sizes):
    assert len(sizes) == len(build.SOURCES) + 1
    assert all(data == bss == 0 for _, data, bss in sizes.values())


def test_size_without_the_tuner(sizes):
    """Text and constants of what every firmware needs; docs/driver.md states what the tuner takes on top."""
    tuner = sum(sizes[f"arqlink_{name}.o"][0] for name in TUNER)
    print(f"driver {sizes['(TOTALS)'][0] - tuner} bytes, tuner {tuner} bytes")
    assert sizes["(TOTALS)"][0] - tuner <= 8 * 1024


def test_needs_nothing_of_a_library(sizes):
    """Only arithmetic of the compiler's own library is missing, and what the compiler may call in a freestanding program."""
    names = build.run("riscv64-unknown-elf-nm", "-u", str(BUILD / "sw" / "driver" / "libarqlink.a")).split()
    missing = {n for n in names if n not in ("U",) and not n.endswith(":") and not n.startswith("arqlink_")}
    assert missing <= {"memcpy", "memset"} | {n for n in missing if re.fullmatch(r"__(u?div|u?mod|mul|ashl|lshr|ashr)[sd]i3", n)} | {
        n for n in missing if n.startswith("__riscv_")
    }


def test_cppcheck():
    if not shutil.which("cppcheck"):
        pytest.skip("cppcheck is not installed: run 'make setup' as root")
    build.run(
        "cppcheck", "--std=c11", "--enable=warning,style,performance,portability", "--error-exitcode=1", "-q",
        *build.INCLUDES, str(build.DRIVER / "src"),
    )  # fmt: skip
