# SPDX-License-Identifier: Apache-2.0
"""Console and `stats --uart` against a board that behaves, and against those that do not."""

import io
import json
import os
import select
import sys
import termios
import threading
import time

import pytest

from arqlink.board import terminal
from arqlink.board.serial_port import SerialPort
from arqlink.board.uart_shell import UartShell
from arqlink.errors import UserError
from tests.board import fake_board

ANSWERS = {
    "end": ["end b"],
    "info": ["version 0.1.0", "unit_bytes 8"],
    "link": ["state up", "k 8", "delta inf"],
    "stats": ["tx_packets 9223372036854775813", "tx_frames 0"],
    "code 8 99": ["ERROR N is '99'; it must be 8 to 16"],
}


@pytest.fixture
def shell():
    return fake_board.Shell(ANSWERS)


@pytest.fixture
def port(shell):
    with fake_board.board(shell) as name:
        yield name


def test_commands_and_their_answers(arqlink, port, shell):
    code, out, err = arqlink("console", port, "--command", "info", "--command", "link")
    assert (code, err) == (0, "")
    assert out.splitlines() == ANSWERS["info"] + ANSWERS["link"]
    assert shell.commands == ["info", "link"]


def test_first_error_ends_the_run(arqlink, port, shell):
    code, out, err = arqlink("console", port, "--command", "info", "--command", "code 8 99", "--command", "link")
    assert code == 2
    assert out.splitlines() == ANSWERS["info"]
    assert "code 8 99" in err and "ERROR N is '99'; it must be 8 to 16" in err
    assert shell.commands == ["info", "code 8 99"]


def test_commands_from_standard_input(arqlink, port, shell, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("info\n\n  link \n"))
    code, out, _ = arqlink("console", port)
    assert code == 0 and out.splitlines() == ANSWERS["info"] + ANSWERS["link"]


def test_counters_as_json(arqlink, port):
    code, out, _ = arqlink("stats", "--uart", port)
    assert code == 0
    report = json.loads(out)
    assert report["counters"] == {"tx_packets": 2**63 + 5, "tx_frames": 0}
    assert report["link"] == {"state": "up", "k": 8, "delta": "inf"}
    assert report["info"]["version"] == "0.1.0" and report["end"] == "b"


def test_options_of_the_simulation_are_refused(arqlink, port):
    code, out, err = arqlink("stats", "--uart", port, "--packet-bytes", "100")
    assert code == 2 and not out and "--packet-bytes" in err


@pytest.mark.parametrize("arguments", [(), ("/dev/null", "--simulate"), ("/dev/null",), ("missing",)])
def test_no_such_port(arqlink, arguments):
    code, out, err = arqlink("console", *arguments, "--command", "info")
    assert code == 2 and not out
    assert "serial port" in err and len(err.strip().splitlines()) == 1


def test_an_answer_that_is_not_understood(arqlink, shell, port):
    shell.answers = ANSWERS | {"stats": ["tx_packets"]}
    code, out, err = arqlink("stats", "--uart", port)
    assert code == 2 and not out and "'tx_packets'" in err


def test_old_output_and_events_are_no_answer():
    old = b"OK\r\n> EVENT link_down\r\n> info\r\nERROR old\r\n> "
    shell = fake_board.Shell(ANSWERS, before_echo=b"EVENT link_up\r\n> ")
    with fake_board.board(shell, first=old) as name, SerialPort(name) as port:
        asked = UartShell(port)
        assert asked.command("link") == ANSWERS["link"]
        assert asked.values("info") == {"version": "0.1.0", "unit_bytes": 8}


def test_a_long_line_is_for_the_firmware_to_refuse(port, shell):
    line = "x" * 200
    shell.answers[line] = ["ERROR the line is longer than 95 characters"]
    with SerialPort(port, patience=2) as opened, pytest.raises(UserError, match="longer than 95"):
        UartShell(opened).command(line)


@pytest.mark.parametrize("line", ["delta ∞", "info\rlink", "a\x03"])
def test_characters_that_are_not_for_a_line(port, line, shell):
    with SerialPort(port) as opened, pytest.raises(UserError, match="characters"):
        UartShell(opened).command(line)
    assert not shell.commands


def test_nobody_answers():
    with fake_board.board(lambda _: b"") as name, SerialPort(name, patience=1) as port, pytest.raises(UserError, match="No firmware answers"):
        UartShell(port)


@pytest.mark.parametrize("answer", [b"", b"state up\r\nOK\r\n", b"state up\r\n" * 100])
def test_an_answer_without_end(answer):
    shell = fake_board.Shell({"link": answer})
    with fake_board.board(shell) as name, SerialPort(name, patience=0.5) as port, pytest.raises(UserError, match="did not answer 'link' within 0.5 s"):
        UartShell(port).command("link")


def test_the_board_is_switched_off():
    shell = fake_board.Shell(ANSWERS)

    def once(data):
        return shell(data) if b"info" not in data else None

    with fake_board.board(once) as name, SerialPort(name) as port:
        asked = UartShell(port)
        with pytest.raises(UserError, match="has gone|takes what is sent"):
            asked.command("info")


@pytest.mark.parametrize("key", terminal.END_KEYS)
def test_the_interactive_terminal(port, shell, key):
    """Keys go to the shell one by one, Ctrl-C too; the terminal is as before in the end."""
    user, keyboard = os.openpty()
    screen_out, screen = os.pipe()
    before = termios.tcgetattr(keyboard)
    with SerialPort(port) as opened:
        worker = threading.Thread(target=terminal.join, args=(opened, keyboard, screen), daemon=True)
        worker.start()
        deadline = time.monotonic() + 20
        while termios.tcgetattr(keyboard) == before:  # keys typed until then are dropped
            assert time.monotonic() < deadline
        seen = b""
        for keys, until in ((b"xx\x03", b"^C\r\n> "), (b"link\r", b"OK\r\n> ")):
            os.write(user, keys)
            while until not in seen:
                assert select.select([screen_out], [], [], 20)[0], seen
                seen += os.read(screen_out, 1024)
        os.write(user, b"in" + bytes([key]) + b"fo\r")
        worker.join(10)
        assert not worker.is_alive()
    assert b"state up\r\nk 8\r\ndelta inf\r\n" in seen
    assert shell.commands == ["link"]
    assert termios.tcgetattr(keyboard) == before
    for descriptor in (user, keyboard, screen, screen_out):
        os.close(descriptor)
