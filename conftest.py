# SPDX-License-Identifier: Apache-2.0
import pytest

from arqlink.board import simulation
from arqlink.cli.main import main
from tests import needs, seeds

SAID_SEED = f"ARQLINK_SEED={seeds.SEED}"


def pytest_sessionstart(session):
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    if terminal:  # the workers of a parallel run have none
        terminal.write_line(SAID_SEED)


@pytest.hookimpl(tryfirst=True)  # before fixtures that need it too
def pytest_runtest_setup(item):
    needs.meet(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed:
        report.sections.append(("random numbers", SAID_SEED))
    return report


def pytest_terminal_summary(terminalreporter):
    seeds.summarize(terminalreporter)
    needs.summarize(terminalreporter)


@pytest.fixture
def rng(request):
    """Random numbers of the test's own, which follow ARQLINK_SEED."""
    return seeds.rng(request.node.name)


@pytest.fixture
def confirmed(request, record_property):
    """Calls `check(name)`, which samples with the random numbers of that name and asserts; where that fails, once more with another name."""

    def run(check):
        name = request.node.name
        try:
            check(name)
        except AssertionError as wrong:
            check(f"{name} again")
            seeds.note(record_property, f"{name}: {wrong}")

    return run


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
