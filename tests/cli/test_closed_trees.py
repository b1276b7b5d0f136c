# SPDX-License-Identifier: Apache-2.0
"""Trees that may not be written to, and files that go away during a run: one sentence each, and no result is lost."""

import importlib
import json
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from arqlink import tree
from arqlink.cli import main
from arqlink.pages import chart_library

from .unprivileged import unprivileged


@pytest.fixture
def closed(monkeypatch):
    """A folder that is not there, below one that nobody but its owner may write to. All can reach it, unlike pytest's."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        monkeypatch.setattr(tree, "BUILD", Path(name) / "build")
        yield Path(name)
        Path(name).chmod(0o700)


def said(run, *words):
    """What a program writes to standard error, or ends with, who may not write."""

    def action():
        sys.argv = ["program", *words]
        with tempfile.TemporaryFile("w+") as errors:
            sys.stderr = errors
            try:
                run()
            except SystemExit as end:
                print(end.code if isinstance(end.code, str) else "", file=errors)
            errors.seek(0)
            return errors.read().strip()

    return unprivileged(action)


COMMANDS = ["stats --frames 100", "tcp --seconds 1", "codec encode --k 2 --n 3 {} s", "send {} out"]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_in_a_tree_that_may_not_be_written_to(closed, monkeypatch, command):
    (closed / "in").write_bytes(b"x")
    (closed / "out").mkdir()
    (closed / "out").chmod(0o777)
    monkeypatch.chdir(closed / "out")
    with pytest.raises(SystemExit):  # what the command line imports late may be in a folder that is root's
        main.main(["stats", "--frames", "0"])
    with pytest.raises(SystemExit):
        main.main([command.split()[0], "--help"])
    line = said(lambda: main.main(None), *command.format(closed / "in").split())
    assert line == f"'{closed}/build' cannot be read or written: Permission denied."


VERBS = [
    "demo link",
    "campaign run --pair small:small --runs 1",
    "campaign feedback-loss --round-trip 64 --seed 1",
    "campaign forged-recovery",
    "verilog tiny",
    "synth tiny",
    "figures zhu",
    "release tiny",
]


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_in_a_tree_that_may_not_be_written_to(closed, verb):
    with pytest.raises(SystemExit):  # what the command line imports late may be in a folder that is root's
        main.main([*verb.split()[:2], "--help"])
    line = said(lambda: main.main(None), *verb.split())
    assert "\n" not in line and line.endswith(".") and "cannot be" in line, line


def test_pictures_in_a_tree_that_may_not_be_written_to(closed):
    line = said(importlib.import_module("docs.tools.figures.link.__main__").main)
    assert "\n" not in line and line.endswith(".") and "cannot be" in line, line


def test_a_page_that_may_not_be_written(closed):
    chart_library.text("uPlot.iife.min.js")
    with pytest.raises(SystemExit):
        main.main(["planner", "--help"])
    line = said(lambda: main.main(None), "planner", str(closed / "new" / "planner.html"))
    assert line == f"'{closed}/new' cannot be read or written: Permission denied."


def test_an_output_that_goes_away_while_a_run_goes_on_costs_no_other_result(arqlink, tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()

    def comparison(*_):
        shutil.rmtree(tmp_path / "gone")
        return "<svg/>"

    monkeypatch.setattr("arqlink.report.plots.comparison", comparison)
    code, out, error = arqlink("stats", "--config", "montecarlo", "--frames", "300", "--json", "--plot", "gone/x.svg")
    assert (code, error.splitlines()[-1]) == (2, "'gone/x.svg' cannot be written: No such file or directory.")
    assert json.loads(out)["frames"] == 300
