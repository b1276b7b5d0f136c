# SPDX-License-Identifier: Apache-2.0
"""The firmware's receiver and shell on a host, with sanitizers: no command is run that was not typed."""

import re
import subprocess

import pytest

from sw.tests import build, firmware
from tests import seeds

PLACES, FIFO = 256, 32
LOST = "ERROR part of the line was lost, so nothing of it was run"
PARTS = ("console", "receiver", "shell", "line", "words")


@pytest.fixture(scope="module")
def console(tmp_path_factory):
    """Answers to lines, in order, after some events."""
    program = tmp_path_factory.mktemp("console") / "console"
    sources = (build.ROOT / "sw" / "tests" / "console_host.c", *(firmware.FOLDER / f"{part}.c" for part in PARTS))
    includes = ("-I", str(firmware.FOLDER), "-I", str(build.ROOT / "sw" / "bsp"))
    build.run("gcc", *build.STRICT, "-O1", *firmware.SANITIZE, *includes, *map(str, sources), "-o", str(program))

    def happen(events):
        done = subprocess.run([program], input=events.encode(), capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return re.findall(r"(?:said (\S+)\r\nOK|(ERROR[^\r]*)|(\^C))\r\n", done.stdout.decode())

    def answers(events):
        return [next(filter(None, found)) for found in happen(events)]

    return answers


def typed(text, after="IT"):
    """Bytes that arrive one after the other, with what happens after each."""
    return "".join(f"R{byte}{after}" for byte in text)


def test_lines_are_answered(console):
    assert console(typed("say a\rsay b\r")) == ["a", "b"]
    assert console(typed("say a\rsay b\r", "I") + "T" * 20) == ["a", "b"]


@pytest.mark.parametrize("lost", [1, 2, 100])
def test_a_full_buffer_cuts_its_last_line(console, lost):
    """One place stays free and one is the gap's, however many bytes are lost; then it goes on."""
    lines = "".join(f"say {number:05}\r" for number in range(100))[: PLACES - 2 + lost]
    whole = [f"{number:05}" for number in range((PLACES - 2) // 10)]
    assert console(typed(lines, "I") + "T" * PLACES + typed("x\rsay z\r")) == [*whole, LOST, "z"]


@pytest.mark.parametrize("line", ["say a", "x", ""])
def test_a_full_fifo_cuts_the_line(console, line):
    lost = typed("y" * (FIFO + 1), "")
    assert console(typed(line) + lost + "I" + typed("\r") + "T" * 99 + typed("say z\r")) == [LOST, "z"]


def test_a_damaged_byte_cuts_its_line(console):
    assert console(typed("say a") + "X" + typed("b\rsay z\r")) == [LOST, "z"]
    assert console(typed("say a\r") + "X" + typed("say b\rsay z\r")) == ["a", LOST, "z"]


def test_lines_that_wait_behind_a_loss_are_not_run(console):
    """It may have been one of theirs; the last one may be whole, but nobody knows."""
    assert console(typed("say a\rsay b\rsa", "I") + "X" + "T" * 99 + typed("y c\rsay z\r")) == [LOST, LOST, "z"]


def test_ctrl_c_is_found_behind_what_was_typed(console):
    assert console("C" + typed("say a\rsay", "I") + "C" + typed("\x03", "I") + "C" + typed("say z\r")) == ["^C", "z"]


@pytest.mark.parametrize("typed_before", [0, 1, *range(PLACES - 4, PLACES + 2), PLACES + 100])
def test_ctrl_c_is_never_lost(console, typed_before):
    """However full the buffer is, it ends the command that runs, and the next line is whole."""
    before = typed("x" * typed_before + "\x03", "I")
    assert console(before + "C" + typed("say z\r")) == ["^C", "z"]
    assert console(before + "C" + typed("\x03", "I") + "C" + typed("say z\r")) == ["^C", "^C", "z"]
    assert console(before + "T" * PLACES + typed("say z\r")) == ["^C", "z"]


@pytest.mark.parametrize("taken", ["C" + "T" * PLACES, "T" * PLACES])
@pytest.mark.parametrize("lost", ["s", "say a\rs", "x" * 300])
def test_what_ctrl_c_leaves_in_a_full_buffer_is_cut(console, taken, lost):
    """The bytes behind it have found no place, so the rest of their line is not run; a further Ctrl-C drops that line, too."""
    before = typed("x" * PLACES + "\x03" + lost, "I")
    assert console(before + taken + typed("ay y\rsay z\r")) == ["^C", LOST, "z"]
    assert console(before + typed("\x03", "I") + taken + typed("say z\r")) == ["^C", "z"]


def test_no_command_is_run_that_was_not_typed(console):
    source = seeds.rng("typed")
    ran = lost = 0
    for _ in range(100):
        words = [f"{source.randrange(10**6):06}" for _ in range(60)]
        weights = [source.random() / 3 * (source.random() < 0.3), source.random(), source.random()]
        arriving = iter("".join(f"say {word}\r" for word in words))
        events = []
        for byte in arriving:
            if source.random() < weights[0] / 30:
                events.append("X")  # and this byte is gone
            else:
                events.append(f"R{byte}")
            events += source.choices(["I", "IT", "ITTT", ""], [1, weights[1], weights[2], 3 * source.random()])
        answers = console("".join(events) + "I" + "T" * PLACES + typed("\r"))
        said = [answer for answer in answers if answer != LOST]
        rest = iter(words)
        assert all(word in rest for word in said), "not typed, or in another order"
        ran, lost = ran + len(said), lost + len(answers) - len(said)
    assert ran > 1000 and lost > 100
