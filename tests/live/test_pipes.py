# SPDX-License-Identifier: Apache-2.0
"""Programs that say more than a pipe holds, on the stream that nobody reads at that moment: they are not held up, and all that they say is heard."""

import stat
import sys
from contextlib import nullcontext

import pytest

from arqlink import job
from arqlink.board import simulation
from arqlink.campaign import runs
from arqlink.errors import UserError
from arqlink.live import engine
from arqlink.run import harness

from .live_bench import setup

MORE = 200_000
"""Bytes; a pipe of Linux holds 65536."""


@pytest.fixture
def program(tmp_path):
    """Makes a program of lines of Python."""

    def make(*lines):
        path = tmp_path / "program"
        path.write_text("\n".join([f"#!{sys.executable}", "import sys, time", *lines]) + "\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    return make


@pytest.mark.timeout(60)
@pytest.mark.parametrize("code", [0, 7])
def test_a_campaign_whose_program_complains_at_length(program, monkeypatch, code):
    path = program(f"sys.stderr.write('x' * {MORE})", """print('{"kind": ""}')""", f"sys.exit({code})")
    monkeypatch.setattr(runs.builds, "program", lambda: path)
    said = runs.found({"pair": "a:b", "seed": 1})
    assert next(said) == {"kind": ""}
    with pytest.raises(UserError, match=rf"ended with code 7 at pair a:b, seed 2\. x{{{MORE}}}$") if code else nullcontext():
        assert not list(said)


@pytest.mark.timeout(60)
def test_a_simulator_that_prints_at_length(program):
    path = program(f"print('[' + ' ' * {MORE} + '1]', flush=True)", "sys.stderr.write('progress 1 2\\n')")
    seen = []
    assert job.run(path, {}, harness.listener(lambda *of: seen.append(of))) == [1] and seen == [(1, 2)]


@pytest.fixture
def live(monkeypatch):
    """Begins an Engine of a program."""
    monkeypatch.setattr(engine.verilated_end, "library", lambda _: "/lib.so")

    def begin(path):
        monkeypatch.setattr(engine.builds, "program", lambda: path)
        return engine.Engine(setup(), (), 4)

    return begin


@pytest.mark.timeout(60)
def test_a_live_link_that_complains_at_length(program, live):
    answer = '{"id": 0, "error": ""}'
    path = program(f"sys.stderr.write('x' * {MORE} + chr(10) + 'The end.')", f"print('{answer}', flush=True)", "sys.stdin.read()")
    with live(path) as link:
        pass
    with pytest.raises(UserError, match=r"^The end\.$"):
        link.report()


@pytest.mark.timeout(60)
def test_what_an_assertion_of_a_live_link_says_is_heard(program, live):
    """Verilator writes it to standard output, among the answers."""
    with pytest.raises(UserError, match=r"^%Error: x\.v:1: Assertion failed$"), live(program("print('%Error: x.v:1: Assertion failed')", "sys.exit(1)")):
        pass


@pytest.mark.timeout(60)
def test_a_simulated_board_that_complains_at_length(program):
    path = program(f"sys.stderr.write('x' * {MORE} + chr(10) + 'clocks 12 cpu_s 0.1')")
    board = simulation.SocSim(path)
    board.wait()
    assert board.close() == 12
