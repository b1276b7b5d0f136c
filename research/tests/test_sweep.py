# SPDX-License-Identifier: Apache-2.0
"""Sweeps: their files, resumption after a kill, lost workers, and the same rows with any number of workers."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from typing import Any

import pytest
from dask.distributed import Client

from arqlink import tree
from arqlink.cli.main import main
from arqlink.errors import UserError
from arqlink_research.sweep import kinds, plan, runner
from arqlink_research.sweep.store import Store
from arqlink_research.tcp import builds

pytestmark = pytest.mark.research

QUICK = """
seeds = "3"
[fixed]
loss = 0.01
delay_ms = 20
connections = 2
seconds = 4
warm_up = 0
[grid]
delta = [0, 1]
n = [10, 11]
"""
"""Four points, twelve runs."""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "quick.toml"
    path.write_text(QUICK)
    return path


def rows(path):
    """All that a store has."""
    with sqlite3.connect(path) as database:
        return sorted(database.execute("select key, kind, settings, seed, result from runs"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The rows of the sweep, run by one worker."""
    path = tmp_path_factory.mktemp("whole") / "quick.toml"
    path.write_text(QUICK)
    sweep = plan.read(path)
    with Store(sweep.output) as store:
        assert runner.run(sweep.tasks(), store, workers=1) == 12
        assert runner.run(sweep.tasks(), store, workers=1) == 0, "what is there is run again"
    return rows(sweep.output)


def test_a_row_has_settings_seed_and_numbers(whole):
    assert len(whole) == 12
    _, kind, settings, seed, result = whole[0]
    assert kind == "tcp" and json.loads(settings)["delay_ms"] == 20 and seed in (1, 2, 3)
    assert 0 < json.loads(result)["utilization"] < 1


def test_two_workers_give_the_same_rows(file, whole):
    sweep = plan.read(file)
    with Store(sweep.output) as store:
        runner.run(sweep.tasks(), store, workers=2)
    assert rows(sweep.output) == whole


def test_a_sweep_that_was_killed_goes_on(file, whole):
    """Killed while it runs, with its workers, and started again: the same rows, none twice."""
    output = file.with_suffix(".sqlite")
    command = [sys.executable, "-m", "arqlink", "sweep", str(file), "--workers", "1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as process:
        deadline = time.monotonic() + 120
        while not (output.exists() and 2 <= count(output) < 12):
            assert process.poll() is None and time.monotonic() < deadline, "the sweep ended before it could be killed"
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGKILL)
    before = rows(output)
    assert 2 <= len(before) < 12
    sweep = plan.read(file)
    with Store(output) as store:
        assert runner.run(sweep.tasks(), store, workers=1) == 12 - len(before)
    assert rows(output) == whole


def count(path):
    try:
        with sqlite3.connect(path) as database:
            return database.execute("select count(*) from runs").fetchone()[0]
    except sqlite3.OperationalError:  # not made yet
        return 0


def test_the_runs_of_a_lost_worker_are_run_again(file, whole):
    """One of two workers is killed in the middle; its runs go to the other one, or to the one that takes its place."""
    sweep = plan.read(file)
    killed: list[int] = []
    with runner.cluster(2) as address, Client(address) as client:
        workers: Any = client

        def kill_one(done, total):
            if done == 3 and not killed:
                killed.append(next(iter(workers.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)

        with Store(sweep.output) as store:
            runner.run(sweep.tasks(), store, scheduler=address, progress=kill_one)
    assert killed and rows(sweep.output) == whole


@pytest.mark.parametrize(
    ("frames", "words"),
    [("1e9", "Simulating 6 runs takes about "), ("1e12", "Hopeless: 6 runs would take about ")],
)
def test_a_long_sweep_is_foretold_as_a_whole(tmp_path, monkeypatch, capsys, frames, words):
    path = tmp_path / "stats.toml"
    path.write_text(f"kind = 'stats'\nseeds = '3'\n[fixed]\nframes = {frames}\n[grid]\nn = [10, 11]\n")

    def begun(*_):
        raise UserError("It has begun.")

    monkeypatch.setattr(kinds.Stats, "build", begun)
    sweep = plan.read(path)
    with Store(sweep.output) as store, pytest.raises(UserError) as error:
        runner.run(sweep.tasks(), store, workers=2)
    assert words in capsys.readouterr().err + str(error.value)


def test_old_names_of_settings_are_the_same_points(tmp_path):
    old, new = (tmp_path / f"{name}.toml" for name in ("old", "new"))
    old.write_text("[fixed]\np = 0.02\norder = 0\n[grid]\nn_retx = [11, 12]\n")
    new.write_text("[fixed]\nloss = 0.02\nord = 0\n[grid]\nnr = [11, 12]\n")
    assert plan.read(old).points == plan.read(new).points == [{"loss": 0.02, "ord": 0, "nr": nr} for nr in (11, 12)]


def test_points_of_stats_are_swept_too(tmp_path):
    path = tmp_path / "stats.toml"
    path.write_text('kind = "stats"\nseeds = 1\n[fixed]\nconfig = "paper"\nframes = 400\nloss = "bernoulli:0.1"\n[grid]\ndelta = [0, "inf"]\n')
    sweep = plan.read(path)
    with Store(sweep.output) as store:
        runner.run(sweep.tasks(), store, workers=1)
        results = [store.results(sweep.tasks())[task.key] for task in sweep.tasks()]
    assert [result["counters.a.tx_frames"] >= 400 for result in results] == [True, True]
    assert results[0]["counters.a.tx_retx"] == 0 < results[1]["counters.a.tx_retx"]
    assert not any("per_s" in name or name == "wall_s" for name in results[0])


def test_tasks_are_seed_by_seed(file):
    assert [task.seed for task in plan.read(file).tasks()] == [1] * 4 + [2] * 4 + [3] * 4


@pytest.mark.parametrize(
    "text, message",
    [
        ("seeds = ", "is not TOML"),
        ("colour = 1", "has colour; a sweep has fixed, grid"),
        ('kind = "ping"', "The kind of the sweep is 'ping'; it must be tcp or stats."),
        ("seeds = 0", "The seeds are '0'"),
        ("[fixed]\nspeed = 1", "'speed' is not a setting of this sweep"),
        ("[grid]\nn = 3", "'n' in the grid must be a list"),
        ("[grid]\nn = []", "'n' in the grid must be a list"),
        ("[fixed]\nn = 11\n[grid]\nn = [10]", "'n' is fixed, and in the grid."),
        ("[grid]\nn = [10, 10]", "The grid has a point twice."),
        ("[grid]\nn = [10, 99]", "N is 99"),
        ("[fixed]\nvariant = 'Tahoe'", "The TCP variant is 'Tahoe'"),
        ("[fixed]\nloss = true", "'loss' is True; it must be a number or a text."),
        ("[fixed]\nloss = 'x'", "The loss model 'x' is not understood"),
        ("[fixed]\np = 0.1\nloss = 0.1", "'p' is another name of 'loss'; give one of them."),
        ("fixed = 3", "it must be a table."),
        ("grid = [1]", "it must be a table."),
        ("output = 3", "it must be a text."),
        ("kind = [1]", "it must be a text."),
        ("[fixed]\nk = 5.5", "'k' is 5.5; it must be a whole number."),
        ("[fixed]\ncopies = 1", "'copies' is 1; it must be true or false."),
        ("[grid]\ndelta = [2, '2']", "The grid has a point twice."),
        ("[grid]\nconnections = [10]\nn = [11, 11]", "The grid has a point twice."),
        ("kind = 'stats'\n[fixed]\nframes = 0", "The number of frames is 0"),
        ("kind = 'stats'\n[fixed]\nn = 10\n[grid]\nloss = [0.1, 0.6]", "Hopeless: with bernoulli:0.6"),
        ("[fixed]\nloss = 1.5", "'1.5' has the probability 1.5"),
    ],
)
def test_files_that_are_no_sweep(tmp_path, text, message):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(UserError) as error:
        plan.read(path)
    assert message in str(error.value)


def test_errors_of_the_command(tmp_path, file, capsys):
    builds.program()  # it says on standard error that it builds
    capsys.readouterr()
    for words, message in (
        ([tmp_path / "none.toml"], "No such file"),
        ([file, "--workers", "0"], "The number of workers is 0"),
        ([file, "--workers", "1", "--scheduler", "tcp://127.0.0.1:1"], "cannot be used with --scheduler"),
        ([file, "--scheduler", "tcp://127.0.0.1:1"], "There is no Dask scheduler at tcp://127.0.0.1:1"),
    ):
        with pytest.raises(SystemExit) as stop:
            main(["sweep", *map(str, words)])
        said = capsys.readouterr().err
        assert stop.value.code == 2 and message in said and said.count("\n") == 1


def test_a_store_that_is_none(tmp_path):
    path = tmp_path / "text.sqlite"
    path.write_text("no database, but a text that is longer than its header would be")
    with pytest.raises(UserError, match="cannot be used for results"):
        Store(path)


def test_the_command_shows_what_is_there(file, capsys):
    with pytest.raises(SystemExit):
        main(["sweep", str(file), "--show"])
    assert "is not there; without --show the sweep is run." in capsys.readouterr().err


@pytest.mark.parametrize("path", sorted((tree.ROOT / "docs" / "sweeps").glob("*.toml")), ids=lambda path: path.stem)
def test_sweeps_of_the_documents_are_valid(path):
    assert plan.read(path).points


def test_names_are_those_of_the_commands():
    """Each setting of a kind is an option of its command."""
    for kind, command in (("tcp", "tcp"), ("stats", "stats")):
        done = subprocess.run(
            [sys.executable, "-m", "arqlink", command, "--help"], capture_output=True, text=True, check=True, env=os.environ | {"COLUMNS": "300"}
        )
        for name in kinds.KINDS[kind].names:
            assert f"--{name.replace('_', '-')} " in done.stdout, (kind, name)
