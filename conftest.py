# SPDX-License-Identifier: Apache-2.0
"""What all tests share: random numbers, what the machine must have, and in which order they run on several processors."""

import functools
import os
from pathlib import Path

import pytest
from xdist.scheduler import LoadScopeScheduling

from arqlink.board import simulation
from arqlink.cli.main import main
from tests import bytecode, cost, needs, seeds

WAITING = ("tests/live/", "tests/dashboard/", "tests/gateway/test_gateway_linux.py")
"""Tests that wait: for real time, TCP of Linux. One worker takes them, one after the other, so that they do not wait for each other."""
LONG = (
    "cocotb_tests/soc/",
    "tests/board/",
    "tests/pages/",
    "tests/campaign/",
    "cocotb_tests/statistics/",
    "sw/tests/",
    "cocotb_tests/system/",
    "tests/link/",
    "tests/run/",
    "cocotb_tests/",
)
"""Then those come that take longest, so that none of them is left for the end."""
SAID_SEED = f"ARQLINK_SEED={seeds.SEED}"
METER = cost.Meter()
bytecode.keep()


def place(item):
    """Where a test stands in the order."""
    return next((at for at, begin in enumerate((*WAITING, *LONG)) if item.nodeid.startswith(begin)), 1000)


def pytest_itemcollected(item):
    if "chromium" in item.fixturenames:
        item.add_marker("browser")


def pytest_collection_modifyitems(items):
    items.sort(key=place)


@pytest.hookimpl(optionalhook=True)  # without pytest-xdist too
def pytest_xdist_auto_num_workers(config):
    """One more than there are processors: the one with those that wait takes little of any."""
    return (os.cpu_count() or 1) + 1


class Units(LoadScopeScheduling):
    """Deals tests out one by one, but together those that wait, and those of a file that share something costly."""

    def _split_scope(self, nodeid):
        file = nodeid.partition("::")[0]
        return "waiting" if file.startswith(WAITING) else file if has_module_fixture(file) else nodeid


@functools.cache
def has_module_fixture(file):
    return 'scope="module"' in (Path(__file__).parent / file).read_text()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    config.option.loadscopereorder = False
    return Units(config, log)


def pytest_sessionstart(session):
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    if terminal:  # the workers of a parallel run have none
        terminal.write_line(SAID_SEED)


@pytest.hookimpl(tryfirst=True)  # before fixtures that need it too
def pytest_runtest_setup(item):
    needs.meet(item)


def pytest_runtest_logstart():
    METER.begin()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    METER.note(report)
    if report.failed:
        report.sections.append(("random numbers", SAID_SEED))
    return report


def pytest_terminal_summary(terminalreporter):
    seeds.summarize(terminalreporter)
    needs.summarize(terminalreporter)
    cost.summarize(terminalreporter)


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
