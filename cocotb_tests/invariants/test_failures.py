# SPDX-License-Identifier: Apache-2.0
"""A failed assertion ends whatever runs the model, with the assertion's words: shown with Verilog in which one has to fail."""

import json
import re
import subprocess

import pytest

from arqlink import job
from arqlink.campaign import builds, runs
from arqlink.errors import UserError
from arqlink.model.link_setup import LinkSetup
from arqlink.rtl import verilated_end, verilator
from arqlink.run import harness, pair, pair_simulator
from cocotb_tests.lib.rtl import BUILD, generate, locked, run

DRAIN = "PacketDrain: a packet is dropped of which nothing has been passed on"
WINDOW = "Segmenter: a frame is beyond the window"
PAIR = "ArqPair: an address comes"


def broken(block, config, sentence, holds, folder):
    """Writes the Verilog of a block in which the assertion of that sentence demands the Verilog expression `holds`; returns the file."""
    condition = rf'if\(!(.*)\) begin(?=[^\n]*\n\s*\$display\("FAILURE {re.escape(sentence)}")'
    text, count = re.subn(condition, f"if(!({holds})) begin", generate(block, config).read_text())
    assert count == 1, f"{count} assertions say '{sentence}'"
    path = folder / f"{block}.v"
    path.write_text(text)
    return path


@pytest.fixture(scope="module")
def drain(tmp_path_factory):
    """PacketDrain that stops at the first beat offered."""
    return broken("PacketDrain", "default", DRAIN, "!s_axis_tvalid", tmp_path_factory.mktemp("drain"))


def test_the_broken_block_runs_until_its_assertion_fails(drain):
    run("PacketDrain", "broken", "cocotb_tests.invariants.tb_drain", "no_beat", sources=[drain], quick=True)


def test_a_cocotb_run_fails(drain):
    with pytest.raises(SystemExit) as end:
        run("PacketDrain", "broken", "cocotb_tests.invariants.tb_drain", "a_beat", sources=[drain], quick=True)
    assert end.value.code == 1
    assert f"FAILURE {DRAIN}" in (BUILD / "cocotb" / "broken" / "PacketDrain" / "runs" / "tb_drain-a_beat" / "run.log").read_text()


@pytest.fixture(scope="module")
def arqsim(tmp_path_factory):
    """The C++ harness around a pair that has nothing but its ports, and an assertion which fails when a register is written."""
    folder = tmp_path_factory.mktemp("arqsim")
    text = generate("ArqPair", "small").read_text()
    head = re.search(r"^module ArqPair \(\n(.*?)^\);", text, re.MULTILINE | re.DOTALL)
    assert head
    ports = head[0]
    outputs = re.findall(r"^ *output .*?(\w+),?$", ports, re.MULTILINE)
    assert len(outputs) > 20
    zeros = "".join(f"  assign {name} = 0;\n" for name in outputs)
    words = f'$display("FAILURE {PAIR}"); $finish;'
    (folder / "ArqPair.v").write_text(
        f"{ports.replace('output reg', 'output wire')}\n{zeros}  always @(posedge aclk) if(s_axil_awvalid) begin {words} end\nendmodule\n"
    )
    return pair_simulator.around(verilator.Model([folder / "ArqPair.v"], folder / "model", optimize="-O0"))


def test_a_job_of_the_harness_fails(arqsim):
    with pytest.raises(UserError, match=PAIR):
        harness.run(arqsim, pair.stats_job(LinkSetup(), 10))


def test_the_harness_returns_1(arqsim):
    asked = job.text(pair.stats_job(LinkSetup(), 10).described("packets", "deliveries", {}))
    done = subprocess.run([arqsim], input=asked, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert f"FAILURE {PAIR}" in done.stdout and "An invariant of the model does not hold" in done.stderr


@pytest.fixture
def broken_ends(tmp_path, monkeypatch):
    """Builds of link ends that stop at the first packet offered."""
    folder = BUILD / "campaign" / "broken"
    folder.mkdir(parents=True, exist_ok=True)
    with locked("campaign-broken"):
        source = broken("ArqLink", "tiny", WINDOW, "!s_axis_tvalid", folder)
    options = ["-DMODEL=VArqLink_broken", '-DMODEL_HEADER="VArqLink_broken.h"']
    library = verilated_end.shared_library([source], folder, "end_broken", "VArqLink_broken", verilated_end.MODEL, ["--assert"], options, optimize="-O0")
    monkeypatch.setattr(builds, "library", lambda name, waves=False: library)


def test_a_campaign_run_fails(broken_ends, arqlink):
    asked = job.text(runs.job_of("tiny:tiny", 1, 1))
    done = subprocess.run([builds.program()], input=asked, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert found["kind"] == "assertion" and WINDOW in found["text"]

    code, out, _ = arqlink("campaign", "run", "--pair", "tiny:tiny", "--seed", 1, "--runs", 1)
    assert code == 1
    assert re.search(f"^assertion: .*{WINDOW}", out, re.MULTILINE)
