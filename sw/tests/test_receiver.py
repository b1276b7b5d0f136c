# SPDX-License-Identifier: Apache-2.0
"""The firmware's receiver on a host, with sanitizers: what the UART loses leaves a gap where it was lost."""

import os
import random
import subprocess

import pytest

from sw.tests import build, firmware

NONE, GAP, CTRL_C = -1, 256, 3
PLACES, FIFO = 256, 32


@pytest.fixture(scope="module")
def receiver(tmp_path_factory):
    program = tmp_path_factory.mktemp("receiver") / "receiver"
    sources = (build.ROOT / "sw" / "tests" / "receiver_host.c", firmware.FOLDER / "receiver.c")
    includes = ("-I", str(firmware.FOLDER), "-I", str(build.ROOT / "sw" / "bsp"))
    build.run("gcc", *build.STRICT, "-O1", *firmware.SANITIZE, *includes, *map(str, sources), "-o", str(program))

    def happen(events):
        done = subprocess.run([program], input=events, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return list(map(int, done.stdout.split()))

    return happen


def bytes_from(first, count):
    return [value & 255 for value in range(first, first + 2 * count) if value & 255 != CTRL_C][:count]


def test_bytes_pass_in_sequence(receiver):
    assert receiver("T" + 10 * ("RRRRRRRI" + "T" * 8)) == [NONE] + [entry for i in range(10) for entry in [*bytes_from(0, 70)[7 * i : 7 * i + 7], NONE]]


def test_a_full_buffer_ends_with_a_gap(receiver):
    """One place stays free and one is the gap's, however many bytes are lost; then it goes on."""
    kept = bytes_from(0, PLACES - 2)
    for lost in (1, 2, 100):
        assert receiver("RI" * (PLACES - 2 + lost) + "T" * PLACES + "RIT") == [*kept, GAP, NONE, bytes_from(0, PLACES - 1 + lost)[-1]]


def test_a_full_fifo_is_a_gap(receiver):
    assert receiver("RRI" + "R" * (FIFO + 1) + "ITTTT" + "RITT")[:5] == [0, 1, GAP, NONE, bytes_from(0, FIFO + 4)[-1]]


def test_a_damaged_byte_is_a_gap(receiver):
    assert receiver("RIXITTT") == [0, GAP, NONE]


def test_ctrl_c_is_found_behind_what_was_typed(receiver):
    assert receiver("?RRI?CRI?T?TT") == [0, 0, 1, 2, 0, NONE, NONE]


def test_no_loss_without_a_gap(receiver):
    """Two bytes that come out without a gap between them were typed one after the other."""
    seed = int(os.environ.get("ARQLINK_SEED", "1"))
    print(f"seed {seed}")
    source = random.Random(seed)
    gaps = 0
    for _ in range(50):
        weights = [source.random() + 0.01, source.random() / 50, source.random() / 5, source.random()]
        events = "".join(source.choices("RXIT", weights, k=3000))
        events = events[: source.randrange(3000)] + "IR" + "I" + "T" * PLACES
        before = None
        for entry in receiver(events):
            if entry == NONE:
                continue
            if entry == GAP:
                gaps += 1
            elif before not in (None, GAP):
                assert entry == bytes_from(before + 1, 1)[0]
            before = entry
        assert entry == NONE
    assert gaps > 100
