# SPDX-License-Identifier: Apache-2.0
"""What the simulator of the pair reads: each key of a job is understood, or is an error in one sentence."""

import json
import os
import subprocess
from dataclasses import replace

import pytest

from arqlink import job as jobs
from arqlink.errors import UserError
from arqlink.model.link_setup import LinkSetup
from arqlink.run import harness, pair, pair_simulator

JOB = pair.send_job(LinkSetup(config="montecarlo", delay_ms=0.1), [b"packet"])
DESCRIBED = JOB.described("/nowhere/p", "d", {})
NUMBERS = ("frames", "window", "check_clocks", "idle_clocks", "max_clocks")
FILES = ("packets", "deliveries", "waves", "phy_capture")


@pytest.fixture(scope="module")
def program():
    return pair_simulator.simulator("montecarlo")


def refusal(program, asked):
    with pytest.raises(UserError) as refused:
        jobs.run(program, asked)
    return str(refused.value)


@pytest.mark.parametrize("key", ["mode", "setup", "start", "registers", "counters", *NUMBERS])
def test_a_key_is_missing(program, key):
    assert refusal(program, {name: value for name, value in DESCRIBED.items() if name != key}) == f"{key} is missing."


def test_a_key_is_unknown(program):
    assert refusal(program, DESCRIBED | {"colour": 1}) == '"colour" is not a key of a job.'


@pytest.mark.parametrize(
    "changed, sentence",
    [
        *(({key: wrong}, f"{key} is {wrong}; it must be a whole number from 0 to {2**64 - 1}.") for key in NUMBERS for wrong in (-1, 3.5)),
        *(({key: "x\u0101"}, f"{key} is .*; it must be the name of a file, whose characters are bytes.") for key in FILES),
        ({"mode": "fast"}, 'mode is "fast"; it must be send or stats.'),
        ({"mode": 1}, "mode is 1; it must be send or stats."),
        ({"report_s": "often"}, 'report_s is "often"; it must be a number.'),
        ({"setup": [[1, 2], [3, 2**32]]}, rf"setup\[1\]\[1\] is {2**32}; it must be a whole number from 0 to {2**32 - 1}."),
        ({"start": [[1]]}, r"start\[0\] is a list of 1; it must be a list of 2."),
        ({"setup": {"1": 2}}, "setup is an object; it must be a list."),
        ({"registers": {"a": None}}, f"registers.a is null; it must be a whole number from 0 to {2**32 - 1}."),
        ({"counters": []}, "counters is a list of 0; it must be an object with keys."),
        ({"traces": [None]}, "traces is a list of 1; it must be a list of 2."),
        ({"registers": {}}, "The job does not give the address of a.STATUS."),
    ],
)
def test_a_value_is_wrong(program, changed, sentence):
    with pytest.raises(UserError, match=f"^{sentence}$"):
        jobs.run(program, DESCRIBED | changed)


@pytest.mark.parametrize("text", ["", "{", "[]x", '"\\ud800"', "1e999", "[" * 100_000])
def test_a_job_that_is_not_json(program, text):
    done = subprocess.run([program], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr.startswith("The job is not JSON: ") and done.stderr.count("\n") == 1


def test_a_job_is_an_object(program):
    assert refusal(program, [1, 2]) == "The job is a list of 2; it must be an object with keys."


def test_names_of_files_are_bytes(program, tmp_path):
    """Of any kind: packets, deliveries, captures."""
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xc3\xa4 \"\\'\n")
    os.mkdir(folder)
    harness.write_packets(f"{folder}/packets", [(b"packet", 0)])
    job = replace(JOB, phy_capture=f"{folder}/phy", clock_hz=1e6)
    report = jobs.run(program, job.described(f"{folder}/packets", f"{folder}/deliveries", {}))
    _, [delivery] = harness.read_deliveries(f"{folder}/deliveries", report["start"])
    assert delivery.data == b"packet"
    assert sorted(os.listdir(folder)) == ["deliveries", "packets", "phy"]


def test_infinite_numbers_are_no_json():
    with pytest.raises(ValueError, match="not JSON compliant"):
        jobs.text({"seconds": float("inf")})
    assert json.loads(jobs.text(JOB.described("p", "d", {})))["packets"] == "p"
