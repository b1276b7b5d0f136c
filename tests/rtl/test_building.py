# SPDX-License-Identifier: Apache-2.0
"""What takes a minute says so in a log, when it is done and not else."""

import subprocess

import pytest

from arqlink import tree
from arqlink.building import building
from arqlink.errors import UserError
from arqlink.rtl import native, verilator, verilog


def test_a_line_without_a_terminal(capsys):
    with building("Building it …"):
        assert capsys.readouterr() == ("", "Building it …\n")
    assert capsys.readouterr() == ("", "")


def test_verilator(tmp_path, monkeypatch, capsys):
    def run(command, log):
        raise UserError("The model cannot be built.")

    monkeypatch.setattr(verilator, "run", run)
    (tmp_path / "Block.v").write_text("module Block; endmodule\n")
    with pytest.raises(UserError):
        verilator.Model([tmp_path / "Block.v"], tmp_path / "folder").build()
    assert capsys.readouterr().err == "Building the simulator of Block with Verilator …\n"


def test_maven(tmp_path, monkeypatch, capsys):
    """Also that standard output is left alone."""
    verilog.compile_rtl()
    capsys.readouterr()
    verilog.compile_rtl()
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(verilog, "STAMP", tmp_path / "stamp")
    monkeypatch.setattr(verilog, "MAVEN", ["true"])
    verilog.compile_rtl()
    assert capsys.readouterr() == ("", "Compiling the Scala sources with Maven …\n")


def test_make_in_a_folder_with_a_blank(tmp_path, monkeypatch, capsys):
    """Once it says that it compiles, then there is nothing to do."""
    sources, folder = tmp_path / "a b" / "sim", tmp_path / "a b" / "build" / "sim"
    sources.mkdir(parents=True)
    monkeypatch.setattr(tree, "BUILD", tmp_path / "a b" / "build")
    monkeypatch.setattr(tree, "REGS", tmp_path / "a b" / "regs")
    (sources / "main.cpp").write_text("int main() { return 0; }\n")
    (sources / "Makefile").write_text("all: $(OUT)/program\n$(OUT)/program: main.cpp\n\t$(CXX) $(FLAGS) -I$(REGS) -o $@ $<\n")
    for said in ("Compiling the programs of sim …\n", ""):
        native.make(sources, folder, [])
        assert capsys.readouterr() == ("", said)
    assert subprocess.run([folder / "program"], check=False).returncode == 0
