# SPDX-License-Identifier: Apache-2.0
import pytest

from arqlink.board import simulation
from arqlink.cli.main import main


@pytest.fixture
def arqlink(tmp_path, monkeypatch, capsys):
    """Runs one command in an empty folder; gives (exit code, standard output, standard error)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def run(*arguments):
        with pytest.raises(SystemExit) as end:
            main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return end.value.code or 0, out, err

    return run


@pytest.fixture(scope="module")
def board():
    """A simulated board for the tests of a module, which leave its link up, with nothing under way. It takes a core as long as it lives."""
    with simulation.SocSim(simulation.program()) as board:
        yield board
