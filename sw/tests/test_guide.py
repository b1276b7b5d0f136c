# SPDX-License-Identifier: Apache-2.0
"""The programmer's guide: its code block is compiled with the driver, and run on the register model."""

import re
from typing import Any

import cffi

from arqlink.tree import ROOT
from sw.tests import build, driver
from sw.tests.driver import bus_of, number
from sw.tests.model import Pair, comes_up

GEO = 1100000
"""Microseconds until a link over a geostationary satellite is up."""


def example(folder) -> Any:
    """The guide's code as a shared library of its own."""
    (code,) = re.findall(r"```c\n(.*?)```", (ROOT / "docs" / "driver.md").read_text(), re.S)
    (folder / "example.c").write_text(code)
    output = folder / "example.so"
    sources = [str(folder / "example.c"), *map(str, build.SOURCES)]
    build.run("gcc", *build.STRICT, "-O2", "-fPIC", "-shared", *build.INCLUDES, *sources, "-o", str(output))
    (declaration,) = re.findall(r"^int example\(.*\)", code, re.M)
    ffi = cffi.FFI()
    ffi.include(driver.ffi())
    ffi.cdef(f"{declaration};")
    return ffi.dlopen(str(output))  # it is unloaded with the last reference


def test_worked_example(tmp_path):
    library = example(tmp_path)
    pair = Pair()
    comes_up(pair, GEO)
    live = pair.a.live
    snapshot = pair.a.written

    def traffic(name, value):
        """A transmission in eight fails, whatever its N is: no parity unit helps."""
        if name == "COUNTERS":
            live["tx_frames"] += 64
            live["tx_outcomes_ok"] += 56
            live["tx_outcomes_failed"] += 8
            live["tx_frames_acked"] += 64
            live["tx_packets_lost"] += 1
        snapshot(name, value)

    pair.a.written = traffic
    lost = number(64)
    begin = pair.microseconds
    assert library.example(bus_of(pair), 30, lost) == 0
    assert GEO <= pair.microseconds - begin < GEO + 10000
    assert lost[0] == live["tx_packets_lost"] > 30
    assert pair.a.values["CTRL"] & 1 and pair.a.values["POLL_TIMEOUT"] == 60000000
    assert pair.a.get("ACTIVE_CODE", "n_first") == 8 and pair.a.get("ACTIVE_ARQ", "delta") > 1


def test_worked_example_gives_a_link_up_that_does_not_come(tmp_path):
    pair = Pair()
    comes_up(pair, 60 * GEO)
    library = example(tmp_path)
    assert library.example(bus_of(pair), 1, number(64)) == -110


def test_worked_example_says_what_is_wrong(tmp_path):
    pair = Pair()
    pair.a.values["ID"] = 0
    library = example(tmp_path)
    assert library.example(bus_of(pair), 1, number(64)) == -19
