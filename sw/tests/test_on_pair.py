# SPDX-License-Identifier: Apache-2.0
"""The driver on the Verilated pair: everything once, and reconfiguration under full traffic."""

import json
import subprocess

import pytest

from sw.tests import build
from tests import seeds

CHANGES = 1000


@pytest.fixture(scope="module")
def program():
    return build.on_pair()


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    print(done.stdout)
    return json.loads(done.stdout)


def test_every_call_on_the_hardware(program):
    result = run(program, "basic")
    assert result["selftest"]["received"] == 64 and result["selftest"]["erased"] > 0
    assert result["tx_retx"] > 0


@pytest.mark.parametrize("what", ["lossy", "persistency"])
def test_no_change_loses_or_doubles_a_packet(program, what):
    """1000 random settings under full traffic: at infinite persistency with a unit in 16 erased, and of the persistency too with
    nothing erased."""
    result = run(program, "reconfigure", CHANGES, seeds.seed_of("settings"), what)
    assert result["changes"] == CHANGES and result["sent"] > CHANGES
    assert result["retx"] > 100 if what == "lossy" else result["retx"] == 0
    assert result["received"] == result["sent"]
    assert [result[k] for k in ("lost", "disordered", "corrupt", "aborted", "abandoned")] == [0] * 5
    assert result["restarts"] == 0


def test_a_change_takes_effect_within_a_frame(program):
    """Transmissions that begin after the call returned and still have the old N: at most the one that was chosen before, in the
    mean over many changes."""
    result = run(program, "effect", 200)
    assert -0.2 < result["late_frames"] <= 1
