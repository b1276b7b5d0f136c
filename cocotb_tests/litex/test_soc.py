# SPDX-License-Identifier: Apache-2.0
"""Builds the LiteX SoC of examples/litex with its own command, and those of wide_bus.py, and runs their tests."""

import subprocess
import sys
from pathlib import Path

import pytest

from arqlink import cache, locks, tree
from arqlink.rtl import verilog
from cocotb_tests.lib import rtl
from cocotb_tests.litex import wide_bus
from tests.effort import slow_in_full

EXAMPLE = tree.ROOT / "examples" / "litex"
INPUTS = [EXAMPLE, tree.ROOT / "arqlink" / "integration", tree.ROOT / "sw" / "driver", tree.REGS]


def sources():
    """The SoC's Verilog files, written where something of them is new."""
    listed = tree.BUILD / "litex" / "sources"
    key = cache.digest(verilog.sources(), *INPUTS)
    with locks.locked("litex"):
        if not cache.is_made(listed, key):
            done = subprocess.run([sys.executable, EXAMPLE / "soc.py"], check=True, capture_output=True, text=True)
            listed.parent.mkdir(parents=True, exist_ok=True)
            wide_bus.forget_date(Path(done.stdout.splitlines()[0]))
            listed.write_text(done.stdout)
            cache.made(listed, key)
    return [Path(line) for line in listed.read_text().splitlines()]


def test_soc():
    rtl.run("arqlink_soc", "litex", "cocotb_tests.litex.tb_soc", sources=sources(), quick=True)


@pytest.mark.parametrize("standard", slow_in_full(wide_bus.STANDARDS, slow={"axi-lite"}))
def test_bus_of_64_bits(standard):
    files = wide_bus.build(standard, tree.BUILD / "litex" / wide_bus.module(standard))
    rtl.run(wide_bus.module(standard), "litex", "cocotb_tests.litex.tb_wide_bus", sources=files, quick=True, parameters={"ARQLINK_BASE": wide_bus.BASE})
