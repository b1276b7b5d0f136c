# SPDX-License-Identifier: Apache-2.0
"""The line shell of the firmware, built for the host with sanitizers."""

import subprocess
from pathlib import Path

import pytest

from tests import seeds

SW = Path(__file__).resolve().parents[1]
FIRMWARE = SW / "firmware"
LINE_CHARS = 95
GAP = b"\xfe"
"""Of shell_host.c: bytes are missing here."""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    output = tmp_path_factory.mktemp("shell") / "shell"
    flags = "-std=c11 -O1 -g -Wall -Wextra -Werror -Wconversion -Wpedantic -fsanitize=address,undefined -fno-sanitize-recover".split()
    sources = [SW / "tests" / "shell_host.c", *(FIRMWARE / f"{name}.c" for name in ("line", "words", "shell"))]
    subprocess.run(["gcc", *flags, "-I", FIRMWARE, *sources, "-o", output], check=True)
    return output


@pytest.fixture
def shell(program):
    def talk(data):
        done = subprocess.run([program], input=data, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    return talk


def answers(output):
    """The last line of each answer: what is before a prompt."""
    return [part.rstrip(b"\r\n").rsplit(b"\r\n", 1)[-1] for part in output.split(b"> ")[1:-1]]


LINES = {
    b"add 2 3": b"add 2 3\r\n5\r\nOK\r\n",
    b"add 0x10": b"add 0x10\r\n17\r\nOK\r\n",
    b"  add   7  8 ": b"  add   7  8 \r\n15\r\nOK\r\n",
    b"add 1 4294967295": b"add 1 4294967295\r\n4294967296\r\nOK\r\n",
    b"": b"\r\n",
    b"   ": b"   \r\n",
    b"add": b"add\r\nERROR usage: add A [B]\r\n",
    b"add 1 2 3": b"add 1 2 3\r\nERROR usage: add A [B]\r\n",
    b"add 0": b"add 0\r\nERROR A is '0'; it must be 1 to 1000\r\n",
    b"add 1001": b"add 1001\r\nERROR A is '1001'; it must be 1 to 1000\r\n",
    b"add 1 4294967296": b"add 1 4294967296\r\nERROR B is '4294967296'; it must be 0 to 4294967295\r\n",
    b"add 99999999999999999999999": b"add 99999999999999999999999\r\nERROR A is '99999999999999999999999'; it must be 1 to 1000\r\n",
    b"add 1x": b"add 1x\r\nERROR A is '1x'; it must be 1 to 1000\r\n",
    b"add 0x": b"add 0x\r\nERROR A is '0x'; it must be 1 to 1000\r\n",
    b"add -1": b"add -1\r\nERROR A is '-1'; it must be 1 to 1000\r\n",
    b"fail": b"fail\r\nERROR cannot 'fail'\r\n",
    b"fail 1": b"fail 1\r\nERROR usage: fail\r\n",
    b"ad 1": b"ad 1\r\nERROR no such command, help shows them: 'ad'\r\n",
    b"addd 1": b"addd 1\r\nERROR no such command, help shows them: 'addd'\r\n",
    b"1 2 3 4 5 6 7 8 9 10 11": b"1 2 3 4 5 6 7 8 9 10 11\r\nERROR too many words\r\n",
    b"help": b"help\r\nadd A [B]: adds\r\nfail: fails\r\nhelp: shows the commands\r\nOK\r\n",
}


@pytest.mark.parametrize("line", LINES)
def test_answers(shell, line):
    assert shell(line + b"\r") == b"> " + LINES[line] + b"> "


@pytest.mark.parametrize("end", [b"\r", b"\n", b"\r\n"])
def test_each_line_end_counts_once(shell, end):
    assert answers(shell(end.join([b"add 1", b"add 2", b""]))) == [b"OK", b"OK"]


def test_editing(shell):
    assert answers(shell(b"\x08\x7fadx\x08d 1\r")) == [b"OK"]
    assert answers(shell(b"fail\x03add 1\r")) == [b"fail^C", b"OK"]
    assert answers(shell(b"a\x1b[Ad\x1b[1;5Dd\x1bO 1\r")) == [b"OK"]
    assert answers(shell(b"add\x1b[\radd 1\r")) == [b"ERROR usage: add A [B]", b"OK"]
    assert answers(shell(b"a\x00d\xff\xfdd\t 1\r")) == [b"OK"]


def test_lines_at_and_beyond_the_limit(shell):
    fits = b"add 1" + b" " * (LINE_CHARS - 5)
    assert answers(shell(fits + b"\r")) == [b"OK"]
    # Erasing in a line that is too long must not bring forth a command that nobody typed.
    long = f"ERROR the line is longer than {LINE_CHARS} characters".encode()
    for line in (fits + b" ", fits + b"\x08" + b"  ", fits + b"x" * 300 + b"\x08" * 300, b"y" * 100000):
        assert answers(shell(line + b"\radd 1\r")) == [long, b"OK"]


def test_a_line_of_which_bytes_are_missing_is_not_run(shell):
    """A cut line may be another command, and the end of one line with the beginning of the next as well."""
    lost = b"ERROR part of the line was lost, so nothing of it was run"
    for line in (b"add 1" + GAP, GAP + b"add 1", b"add " + GAP + b"\x7f1", GAP, b"x" * 200 + GAP, GAP + b"x" * 200, b"add\x1b" + GAP + b"[ 1"):
        assert answers(shell(line + b"\radd 1\r")) == [lost, b"OK"]
    assert answers(shell(b"add 1\r" + GAP + b"\nadd 1\r")) == [b"OK", lost, b"OK"]  # the line feed may be of another line
    assert answers(shell(b"add" + GAP + b"\x03add 1\r")) == [b"add^C", b"OK"]


def test_survives_garbage(shell):
    """After any bytes Ctrl-C brings back a shell that works; nothing but printable text and line ends comes out."""
    source = seeds.rng("typed")
    for _ in range(20):
        garbage = bytes(source.choices([*range(256), *b"\r\n\x08\x1b[ add1" * 20], k=source.randrange(1, 4000)))
        output = shell(garbage + b"\x03add 2 3\r")
        assert output.endswith(b"> add 2 3\r\n5\r\nOK\r\n> ")
        assert all(byte in b"\r\n\x08" or 0x20 <= byte < 0x7F for byte in output)
