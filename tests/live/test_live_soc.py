# SPDX-License-Identifier: Apache-2.0
"""`arqlink live --soc`: the firmware on a soft CPU steers each end of a link that carries packets of Linux."""

import os
import re
import subprocess
import sys
import time
from typing import Any

import pytest

from arqlink.board.serial_port import SerialPort
from arqlink.board.uart_shell import UartShell
from arqlink.errors import UserError
from arqlink.live import builds
from arqlink.live.session import Session
from arqlink.tree import ROOT

from .live_bench import IN_NAMESPACES, TEXT, fresh, needs_namespaces, said, setup

ENDS = {"A": "a", "B": "b"}


def test_the_soft_systems_clock_is_the_same_in_both_languages():
    (clock,) = re.findall(r"clockHz = ([\d']+);", (ROOT / "sim" / "live" / "soft_system.h").read_text())
    assert int(clock.replace("'", "")) == builds.CPU_HZ


@pytest.fixture(scope="module")
def session():
    with Session(setup(delta="7"), fresh(), soc=True) as session:
        yield session


@pytest.fixture
def shells(session):
    """The firmware of each end."""
    with SerialPort(session.consoles["A"], patience=30) as a, SerialPort(session.consoles["B"], patience=30) as b:
        yield {"A": UartShell(a), "B": UartShell(b)}


def come_up(shells):
    """Waits until both ends say that the link is up."""
    deadline = time.monotonic() + 30
    while any(shell.values("link")["state"] != "up" for shell in shells.values()):
        assert time.monotonic() < deadline


def rest(session):
    """Waits until the link and its soft CPUs stand still; clocks of A's."""
    deadline = time.monotonic() + 60
    before, clocks = 0, builds.CPU_HZ
    while clocks - before > 0:
        assert time.monotonic() < deadline, "frames of IPv6 go on for some seconds"
        before = session.engine.report()["soft_a"]["clocks"]
        time.sleep(1.0)
        clocks = session.engine.report()["soft_a"]["clocks"]
    return clocks


@pytest.mark.usefixtures("session")
class TestFirmware:
    pytestmark = IN_NAMESPACES

    def test_it_has_set_up_the_link(self, session, shells):
        """Code, persistency and timers are those that the command line asked for."""
        come_up(shells)
        report = session.engine.report()
        for name, end in ENDS.items():
            shown = shells[name].values("link")
            assert (shown["state"], shown["k"], shown["n"], shown["delta"], shown["order"]) == ("up", 10, 11, 7, 1)
            assert (report[end]["k"], report[end]["n"], report[end]["delta"]) == (10, 11, 7)
            timers = shells[name].values("timers")
            assert timers["poll"] == session.setup.timers["POLL_TIMEOUT"] and timers["keepalive"] == session.setup.timers["KEEPALIVE"]
            assert shells[name].values("info")["clock_hz"] == builds.CPU_HZ

    def test_it_changes_the_link_while_packets_flow(self, session, shells):
        """Each end its own way; pings go on, and none is lost."""
        pings = session.start("a", ["ping", "-c", "30", "-i", "0.2", "-W", "10", "10.77.0.2"], **TEXT)
        for delta, code, name in (("inf", "5 8", "A"), ("9", "10 12", "B")):
            shells[name].command(f"delta {delta}")
            shells[name].command(f"code {code}")
        found = session.engine.report()
        assert (found["a"]["delta"], found["a"]["k"], found["a"]["n"]) == (15, 5, 8)
        assert (found["b"]["delta"], found["b"]["k"], found["b"]["n"]) == (9, 10, 12)
        out, _ = pings.communicate(timeout=90)
        assert "30 received" in out, out

    def test_it_sees_what_others_set(self, session, shells):
        """The driver beside it, which is the dashboard's, has the same registers."""
        session.engine.set("A", delta=4, k=8, n=9, nr=9)
        shown = shells["A"].values("link")
        assert (shown["delta"], shown["k"], shown["n"]) == (4, 8, 9)

    def test_its_counters_are_those_of_the_report(self, session, shells):
        said(session, "a", "ping", "-c", "3", "-i", "0.2", "-W", "5", "10.77.0.2")
        before = session.engine.report()["a"]["counters"]["tx_packets"]
        shown = shells["A"].values("stats")["tx_packets"]
        assert 3 <= before <= shown <= session.engine.report()["a"]["counters"]["tx_packets"]

    def test_events_are_its_own(self, session, shells):
        """It prints each, though reports are made all the while, and clear the other events."""
        come_up(shells)
        shells["A"].command("events on")
        session.engine.command("restart", end="A")
        deadline = time.monotonic() + 30
        seen = b""
        while b"EVENT link_up" not in seen.partition(b"EVENT link_down")[2]:
            assert time.monotonic() < deadline, seen
            session.engine.report()
            seen += shells["A"].port.read()
        shells["A"].port.write(b"events off\r")
        assert session.engine.report()["a"]["events"] & 0xE000 == 0, "link_up, link_down and threshold"

    def test_a_refused_access_ends_nothing(self, session, shells):
        """A register that is not there, in the end's window and beyond it."""
        for address in ("0xffc", "0x4000"):
            for command in (f"read {address}", f"write {address} 1"):
                with pytest.raises(UserError, match="ERROR no register can be"):
                    shells["B"].command(command)
        said(session, "a", "ping", "-c", "2", "-i", "0.2", "-W", "5", "10.77.0.2")
        assert session.engine.report()["b"]["events"] & 1, "access: for the end refused some"

    def test_at_rest_it_stands_still_and_a_key_wakes_it(self, session, shells):
        clocks = rest(session)
        assert shells["A"].values("link")["k"] == session.engine.report()["a"]["k"]
        assert session.engine.report()["soft_a"]["clocks"] > clocks

    def test_a_report_at_rest_has_what_the_firmware_did_and_an_event_once(self, session, shells):
        """No report is made while the firmware is awake."""
        rest(session)
        shells["A"].command("delta 6")
        with pytest.raises(UserError, match="ERROR no register can be"):
            shells["A"].command("read 0xffc")
        events, deadline = 0, time.monotonic() + 60
        first: dict[str, Any] = {}
        while not first.get("rests"):
            assert time.monotonic() < deadline
            time.sleep(3.0)  # it rests before that, but beside other work
            first = session.engine.report()
            events |= first["a"]["events"]
        second = session.engine.report()
        assert second["rests"] and first["a"]["delta"] == 6 and events & 1 and not second["a"]["events"]

    def test_what_it_clears_goes_on_in_the_samples(self, session, shells):
        said(session, "a", "ping", "-c", "3", "-i", "0.2", "-W", "5", "10.77.0.2")
        session.sample()
        shells["A"].command("stats reset")
        sample = session.sample()
        assert session.engine.report()["a"]["counters"]["tx_frames"] < 3
        for way in sample.directions.values():
            assert way.mbps >= 0 and way.frames >= 0 and way.window >= 0

    def test_a_console_that_nobody_reads_holds_up_nothing(self, session):
        """Much more than a terminal keeps."""
        with SerialPort(session.consoles["B"], patience=30) as port:
            for _ in range(8):
                port.write(b"stats\r")
                time.sleep(0.7)
            said(session, "a", "ping", "-c", "2", "-i", "0.2", "-W", "5", "10.77.0.2")
            port.rest()
        with SerialPort(session.consoles["B"], patience=30) as port:
            assert UartShell(port).values("link")["state"] == "up"


@needs_namespaces
def test_it_ends_by_itself():
    """Nobody has to kill the program, so its captures are whole."""
    with Session(setup(), fresh(), soc=True) as session:
        pass
    assert session.engine.process.returncode == 0


@needs_namespaces
@pytest.mark.timeout(180, func_only=True)
def test_the_command_says_where_the_consoles_are(tmp_path):
    name, log = fresh(), tmp_path / "log"
    script = f"{sys.executable} -m arqlink console $(sed -n 's/^Firmware of A: arqlink console //p' $LOG) --command 'delta 2' --command link"
    command = [sys.executable, "-m", "arqlink", "live", "--config", "paper8", "--soc", "--name", name, "--delay-ms", "20", "--quiet", "--", "sh", "-c", script]
    with open(log, "w") as stderr:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=stderr, text=True, check=False, timeout=120, env=os.environ | {"LOG": str(log)})
    text = log.read_text()
    assert done.returncode == 0, text
    assert "delta 2" in done.stdout and "state up" in done.stdout
    assert re.search(r"^Firmware of B: arqlink console /dev/pts/\d+$", text, re.MULTILINE)
    assert not [space for space in os.listdir("/run/netns") if space.startswith(f"{name}-")]
