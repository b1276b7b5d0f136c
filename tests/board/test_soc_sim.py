# SPDX-License-Identifier: Apache-2.0
"""The simulated board: firmware, UART and packet streams together, and how a simulation ends."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from arqlink.board import boot_loader, simulation
from arqlink.board.serial_port import SerialPort
from arqlink.board.uart_shell import UartShell
from arqlink.model.link_setup import build_limits
from arqlink.rtl import soc
from arqlink.rtl.registers import counter_names
from arqlink.tree import ROOT
from tests.interrupts import hears_ctrl_c


@pytest.fixture
def port(board):
    with SerialPort(board.port, patience=simulation.PATIENCE_S) as port:
        UartShell(port)  # which waits until it has booted
        yield port


def until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_the_firmware_knows_what_was_built(port):
    info, limits = UartShell(port).values("info"), build_limits(simulation.CONFIG)
    for name in ("unit_bytes", "window_frames", "max_k", "max_parity", "max_packet_bytes", "packet_crc"):
        assert info[name] == limits[name]


def test_settings_reach_the_link(arqlink, port, board):
    code, out, err = arqlink("console", board.port, "--command", "code 8 11 9", "--command", "delta 3", "--command", "link")
    assert (code, err) == (0, "")
    assert set(out.splitlines()) > {"state up", "k 8", "n 11", "nr 9", "delta 3"}
    code, out, err = arqlink("console", board.port, "--command", "code 8 99")
    assert code == 2 and not out and "ERROR" in err and "99" in err


def test_packets_and_their_counters(arqlink, port, board):
    shell = UartShell(port)
    shell.command("delta inf")
    before = shell.values("stats")
    assert list(before) == counter_names()
    packets = [bytes(i % 251 for i in range(n)) for n in (1, 3, 64, 1000, 9216)]
    board.send(packets)
    came = []
    until(lambda: came.extend(board.delivered()) or len(came) == len(packets))
    assert [d.data for d in came] == packets
    assert not any(d.aborted for d in came)
    assert all(d.begin <= d.clock for d in came) and came[0].begin > 0
    until(lambda: shell.values("stats")["tx_frames_acked"] == shell.values("stats")["tx_frames"])
    code, out, _ = arqlink("stats", "--uart", board.port)
    assert code == 0
    now = json.loads(out)["counters"]
    assert now["tx_packets"] - before["tx_packets"] == len(packets)
    assert now["tx_bytes"] - before["tx_bytes"] == sum(map(len, packets))


def test_a_burst_of_bytes_does_not_overrun_the_cpu(port):
    """As many as its buffer holds, at once."""
    UartShell(port)
    count = 25
    port.write(b"order 1\r" * count)
    for i in range(count):
        assert port.expect(rb"order 1\r\nOK\r\n> "), i
    assert UartShell(port).values("link")["order"] == 1


def test_download(tmp_path):
    """The other program runs in place of the firmware; it greets with its name."""
    image = boot_loader.read_image(soc.software() / "other.img")
    with simulation.SocSim(simulation.program()) as board, SerialPort(board.port, patience=simulation.PATIENCE_S) as port:
        boot_loader.download(port, image, in_reset=True)
        assert port.expect(rb"other 5eed0001\r\n")
        clocks = board.close()
        assert clocks and clocks > 800 * len(image)


def process(**streams):
    return subprocess.Popen([simulation.program()], stderr=subprocess.PIPE, text=True, **streams)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, "closed input", "closed output"])
def test_a_simulation_ends(how):
    uart, output = os.pipe()
    running = process(stdin=subprocess.PIPE, stdout=output)
    assert running.stdin and running.stderr
    os.close(output)
    assert os.read(uart, 1)  # it runs
    if how == "closed input":
        running.stdin.close()
    elif how == "closed output":
        os.close(uart)
        with suppress(BrokenPipeError):  # it has an echo to give, if it has not ended before
            running.stdin.write("\n")
            running.stdin.flush()
    else:
        running.send_signal(how)
    assert running.wait(20) == 0
    assert running.stderr.read().startswith("clocks ")


def test_a_simulation_ends_with_its_terminal():
    uart, terminal = os.openpty()
    running = process(stdin=uart, stdout=uart)
    os.close(uart)
    assert os.read(terminal, 1)
    os.close(terminal)
    assert running.wait(20) == 0


def test_a_board_for_other_programs(arqlink):
    """`arqlink board` serves one program after the other until Ctrl-C."""
    command = [sys.executable, "-m", "arqlink", "board"]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env, preexec_fn=hears_ctrl_c) as running:
        try:
            assert running.stdout
            name = running.stdout.readline().split()[3].rstrip(";")
            with SerialPort(name, patience=simulation.PATIENCE_S) as port:
                UartShell(port).command("delta 4")
            code, out, _ = arqlink("stats", "--uart", name)
            assert code == 0 and json.loads(out)["link"]["delta"] == 4
            running.send_signal(signal.SIGINT)
            assert running.wait(20) == 0
        finally:
            running.kill()


@pytest.mark.parametrize("arguments", [["1"], ["x", "2"], ["3", "4", "5"], ["500", "501"]])
def test_wrong_arguments(arguments):
    done = subprocess.run([simulation.program(), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
