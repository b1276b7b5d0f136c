# SPDX-License-Identifier: Apache-2.0
"""The programmer's guide: its code block is compiled with the driver, and run on the register model."""

import ctypes as c
import re

from arqlink.tree import ROOT
from sw.tests import build, driver
from sw.tests.model import Pair


def example(folder):
    """The guide's code as a shared library of its own."""
    (code,) = re.findall(r"```c\n(.*?)```", (ROOT / "docs" / "driver.md").read_text(), re.S)
    (folder / "example.c").write_text(code)
    output = folder / "example.so"
    sources = [str(folder / "example.c"), *map(str, build.SOURCES)]
    build.run("gcc", *build.STRICT, "-O2", "-fPIC", "-shared", *build.INCLUDES, *sources, "-o", str(output))
    return c.CDLL(str(output)).example


def test_worked_example(tmp_path):
    function = example(tmp_path)
    pair = Pair()
    live = pair.a.live
    snapshot = pair.a.written

    def traffic(name, value):
        """A transmission in eight fails."""
        if name == "COUNTERS":
            live["tx_frames"] += 64
            live["tx_outcomes_ok"] += 56
            live["tx_outcomes_failed"] += 8
            live["tx_packets_lost"] += 1
        snapshot(name, value)

    pair.a.written = traffic
    lost = c.c_uint64()
    assert function(c.byref(driver.bus_of(pair)), 30, c.byref(lost)) == 0
    assert lost.value == live["tx_packets_lost"] > 30
    assert pair.a.values["CTRL"] & 1 and pair.a.values["POLL_TIMEOUT"] == 20000
    assert pair.a.get("ACTIVE_CODE", "n_first") >= 10 and pair.a.get("ACTIVE_ARQ", "delta") > 1


def test_worked_example_tells_what_is_wrong(tmp_path):
    pair = Pair()
    pair.a.values["ID"] = 0
    assert example(tmp_path)(c.byref(driver.bus_of(pair)), 1, c.byref(c.c_uint64())) == -19
