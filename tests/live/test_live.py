# SPDX-License-Identifier: Apache-2.0
"""`arqlink live`: programs that nobody here wrote, over the Verilated link in real time."""

import hashlib
import json
import math
import os
import re
import shlex
import signal
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager
from itertools import pairwise

import pytest
from scapy.layers.inet import ICMP
from scapy.utils import rdpcap

from arqlink.dashboard import samples as link
from arqlink.errors import UserError
from arqlink.link import description
from arqlink.live import engine, namespaces, samples
from arqlink.live.engine import Engine
from arqlink.live.session import Session
from arqlink.model import loss
from tests import seeds
from tests.interrupts import hears_ctrl_c
from tests.needs import WITHOUT_RIGHTS

from .live_bench import IN_NAMESPACES, TEXT, fetch, fresh, http, needs_namespaces, said, setup

# Samples and jobs, without root ------------------------------------------------------------------------------------------------


def report(time, **counters):
    names = "tx_units tx_retx_units tx_control_units tx_frames tx_frames_acked tx_frames_abandoned tx_frames_flushed tx_retx tx_packets_lost".split()
    names += ["rx_bytes", "rx_erased_flag", "rx_frames_repaired"]
    end = {"counters": dict.fromkeys(names, 0) | counters, "backlog": 0}
    return {"time": time, "latest": 0.001, "deadlines": 1000 * time, "missed": 0, "lost": 0.0, "rests": False, "a": end, "b": end}


def test_a_sample_is_what_two_reports_differ_by():
    before = report(1.0, tx_units=100, tx_frames=10, tx_frames_acked=10, rx_bytes=1000)
    after = report(3.0, tx_units=300, tx_frames=30, tx_frames_acked=22, rx_bytes=251_000, rx_erased_flag=4, rx_frames_repaired=3, tx_retx=2)
    sample = samples.between(before, after, 64)
    way = sample.directions["ab"]
    assert sample.deadlines == 2000 and sample.seconds == 2.0
    assert (way.mbps, way.loss, way.frames, way.repaired, way.retransmitted, way.window) == (1.0, 0.02, 20, 3, 2, 8 / 64)
    assert (
        sample.line().split()[:6] == ["3.0", "1.000", "2.00", "3", "2", "0"] and json.loads(json.dumps(sample.describe()))["directions"]["ba"]["loss"] == 0.02
    )


def test_lines_stand_below_their_header():
    """All columns end where the names of the header end, up to the widest numbers of a second."""
    widest = link.Direction(99.999, 1.0, 99_999, 99_999, 9_999, 9_999, 9_999, 1.0, 9)
    line = samples.Sample(9999.9, 1.0, 0.9999, 1000, 1000, 0.0, False, {"ab": widest, "ba": widest}).line()
    ends = [match.end() for match in re.finditer(r"\S+", samples.HEADER.splitlines()[1])]
    assert ends == [match.end() for match in re.finditer(r"\S+", line)] and len(line) < 100


def test_nothing_sent_is_no_loss():
    sample = samples.between(report(1.0), report(2.0), 64)
    assert sample.directions["ab"].loss is None and sample.line().split()[2] == "-"


def test_a_job_names_what_the_link_is():
    job = engine.description(setup(loss="ge:0.001,0.1,0,1", feedback_loss="bernoulli:0.2"), (5, 6), "/lib.so", 4)
    link = job["link"]
    assert link["library"] == "/lib.so" and link["delay"] == [setup().delay_clocks] * 2
    assert link["erasures"][1] == {"process": "bernoulli", "p": 0.2} and job["taps"] == (5, 6)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ("--name a/b -- true", "The name is 'a/b'; it must be 1 to 12 letters and digits."),
        ("--mtu 100 -- true", "The MTU is 100; with 'default' it must be 576 to 9000."),
        ("--mtu 9001 -- true", "The MTU is 9001; with 'default' it must be 576 to 9000."),
        ("--queue 0 -- true", "The queue is 0 packets; it must be 1 to 10000."),
        ("--in-b '' -- true", "'' is not a command."),
        ("--delta 20 -- true", "The persistency is '20'"),
        ("--rate-mbps -1 -- true", "The rate is -1 Mb/s; it must be above 0."),
        ("--config tiny -- true", "'tiny' takes packets of 498 bytes, and a live link needs 576."),
        ("--config paper8 --rate-mbps 0.001 -- true", "The rate is 0.001 Mb/s; with 'paper8' it must be 0.0115, or registers"),
        ("--pcap-a x.pcap -- true", "'x.pcap' cannot be written"),
        ("--pcap-a /nowhere/x.pcapng -- true", "'/nowhere/x.pcapng' cannot be written"),
        ("--pcap-a /tmp/x.pcapng --pcap-b /tmp/x.pcapng -- true", "The output to '/tmp/x.pcapng' would overwrite"),
    ],
)
@needs_namespaces
def test_errors_are_one_sentence(arguments, message, arqlink):
    code, _, error = arqlink("live", *shlex.split(arguments))
    assert code == 2 and error.startswith(message) and error.count("\n") == 1


# Programs over the link ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def session():
    with Session(setup(), fresh()) as session:
        yield session


@pytest.mark.usefixtures("session")
class TestPrograms:
    pytestmark = IN_NAMESPACES

    @pytest.mark.parametrize("address", ["10.77.0.2", "fd77::2"])
    def test_ping_takes_a_round_trip(self, session, address):
        found = said(session, "a", "ping", "-c", "5", "-i", "0.2", "-W", "3", address)
        times = [float(value) for value in re.findall(r"time=([\d.]+)", found)]
        # Beside other work the simulation falls behind the clock and catches up: one may take longer, and one a little less.
        assert len(times) == 5 and statistics.median(times) > 100, found

    def test_files_arrive_as_they_are_though_units_are_lost(self, session, tmp_path):
        """TCP of Linux, both ways at once, and a tenth of all units lost: with persistency infinite nothing is."""
        content = seeds.rng("file").randbytes(120_000)
        (tmp_path / "file").write_bytes(content)
        session.engine.set_loss("A", loss.Bernoulli(0.1))
        session.engine.set_loss("B", loss.Bernoulli(0.1))
        before = session.engine.report()
        with http(session, tmp_path):
            clients = [fetch(session, "file", tmp_path / f"copy{i}") for i in range(2)]
            assert [client.wait(90) for client in clients] == [0, 0]
        after = session.engine.report()
        digests = {hashlib.sha256((tmp_path / f"copy{i}").read_bytes()).hexdigest() for i in range(2)}
        assert digests == {hashlib.sha256(content).hexdigest()}
        change = {name: after["b"]["counters"][name] - before["b"]["counters"][name] for name in after["b"]["counters"]}
        assert change["tx_retx"] > 10 and change["tx_packets_lost"] == change["tx_frames_abandoned"] == 0
        for end in "AB":
            session.engine.set_loss(end, loss.Bernoulli(0.01))

    @pytest.mark.parametrize("control", ["reno", "cubic", pytest.param("bbr", marks=pytest.mark.needs("bbr"))])
    def test_iperf3_with_each_congestion_control(self, session, control):
        server = session.start("b", ["iperf3", "-s", "-1"], stdout=subprocess.DEVNULL)
        time.sleep(0.5)
        found = json.loads(said(session, "a", "iperf3", "-c", "10.77.0.2", "-t", "4", "-C", control, "-J"))
        server.wait(30)
        assert found["end"]["sum_received"]["bits_per_second"] > 0.2e6

    def test_settings_change_while_it_runs(self, session):
        """By the driver, as firmware does it: the registers of both ends show them, and pings go on."""
        pings = session.start("a", ["ping", "-c", "20", "-i", "0.2", "-W", "5", "10.77.0.2"], **TEXT)
        for delta, k, n, ord in ((0, 5, 8, 1), (3, 10, 10, 0), (math.inf, 10, 12, 1)):
            for end in "AB":
                session.engine.set(end, delta=delta, k=k, n=n, nr=n, ord=ord)
            time.sleep(0.5)
            found = session.engine.report()
            for end in "ab":
                active = {name: found[end][name] for name in ("delta", "k", "n", "nr", "ord")}
                assert active == {"delta": 15 if math.isinf(delta) else delta, "k": k, "n": n, "nr": n, "ord": ord}
        out, _ = pings.communicate(timeout=60)
        assert int(re.findall(r"(\d+) received", out)[0]) >= 19, out  # one may be lost at persistency 0

    def test_an_outage_ends(self, session, tmp_path):
        """All is dark for 5 s in the middle of a transfer."""
        content = seeds.rng("file").randbytes(300_000)
        (tmp_path / "file").write_bytes(content)
        with http(session, tmp_path):
            client = fetch(session, "file", tmp_path / "copy")
            time.sleep(0.7)
            assert client.poll() is None
            for end in "AB":
                session.engine.set_loss(end, loss.Bernoulli(1.0))
            session.sample()
            time.sleep(5)
            dark = session.sample()
            for end in "AB":
                session.engine.set_loss(end, loss.Bernoulli(0.01))
            assert client.wait(90) == 0
        assert dark.directions["ba"].loss is not None and dark.directions["ba"].loss > 0.5
        assert (tmp_path / "copy").read_bytes() == content

    def test_after_an_outage_it_does_not_rest_before_all_has_arrived(self, session):
        """The outage is longer than OUTAGE_TIMEOUT, and no frame comes that would wake the link."""
        timers = session.setup.timers
        for end in "AB":
            session.engine.set_timers(timers | {"OUTAGE_TIMEOUT": 4 * timers["KEEPALIVE"]})
            session.engine.set_loss(end, loss.Bernoulli(1.0))
        ping = session.start("a", ["ping", "-c", "1", "-W", "60", "10.77.0.2"], **TEXT)
        deadline = time.monotonic() + 30
        while session.engine.report()["a"]["state"] != "outage":
            assert time.monotonic() < deadline
            time.sleep(0.2)
        time.sleep(3 * timers["KEEPALIVE"] / session.setup.clock_hz)
        assert not session.engine.report()["rests"]
        for end in "AB":
            session.engine.set_loss(end, loss.Bernoulli(0.01))
        session.engine.set_timers(timers)
        out, _ = ping.communicate(timeout=30)
        assert "1 received" in out, out

    def test_a_delay_changes(self, session):
        """And the timers: none of them runs out within a round trip that is longer now."""
        slower = setup(delay_ms=150.0)
        session.engine.set_delay(150)
        session.engine.set_timers(slower.timers)
        assert {session.engine.report()[end]["poll"] for end in "ab"} == {slower.timers["POLL_TIMEOUT"]}
        reports = [session.engine.report()]
        for _ in range(3):
            said(session, "a", "ping", "-c", "1", "10.77.0.2")
            reports.append(session.engine.report())
        session.engine.set_delay(50)
        session.engine.set_timers(setup().timers)
        assert link.counted(reports[0], reports[-1], "a")["tx_polls"] <= 2
        # The link's own time, as it falls behind real time beside other work. Before, a round trip was 100 ms.
        assert all(after["time"] - before["time"] >= 0.3 for before, after in pairwise(reports))

    def test_what_is_refused_changes_nothing(self, session):
        before = session.engine.report()
        timers = {name.lower(): 0 for name in description.TIMERS}
        for name, values, message in (
            ("set", {"end": "A", "values": {"k": 200}}, "A value is beyond what the link is built for."),
            ("set", {"end": "A", "values": {"k": 11, "n": 5}}, "A value is beyond"),
            ("set", {"end": "C", "values": {"k": 4}}, 'end is "C"; it must be A or B.'),
            ("set", {"end": "A", "values": {"colour": 4}}, '"values.colour" is not a key of a job.'),
            ("set", {"end": "A", "values": {"k": "four"}}, 'values.k is "four"; it must be a whole number from 0 to 255.'),
            ("set", {"end": "A", "values": {"k": -1}}, "values.k is -1; it must be"),
            ("set", {"end": "A"}, "values is missing."),
            ("erasures", {"end": "A", "process": {"process": "bernoulli", "p": 2}}, "A probability must be 0 to 1."),
            ("erasures", {"end": "A", "process": {"process": "rain"}}, "it must be bernoulli, markov, outage or intervals."),
            ("delay", {"delay": [0, 0]}, "A channel must have a delay of one clock or more."),
            ("delay", {"delay": [5]}, "delay is a list of 1; it must be a list of 2."),
            ("timers", {"end": "A", "timers": {"poll_timeout": 1}}, "timers.hello_interval is missing."),
            ("timers", {"end": "A", "timers": timers}, "A value is beyond what the link is built for."),
            ("restart", {"end": "A", "colour": 1}, '"colour" is not a key of a job.'),
            ("dance", {}, 'command is "dance"; it must be report, set,'),
        ):
            with pytest.raises(UserError, match=re.escape(message)):
                session.engine.command(name, **values)
        after = session.engine.report()
        assert [after["a"][name] for name in ("k", "n", "nr", "delta")] == [before["a"][name] for name in ("k", "n", "nr", "delta")]

    def test_a_restart_is_survived(self, session):
        """What was under way is lost; the link comes up again by itself, and its queue is counted anew."""
        session.engine.command("restart", end="A")
        time.sleep(1.0)
        said(session, "a", "ping", "-c", "3", "-i", "0.2", "-W", "5", "10.77.0.2")
        found = session.engine.report()
        assert found["a"]["state"] == "up" and found["a"]["backlog"] <= 1 and found["a"]["counters"]["link_restarts"] >= 1

    def test_nothing_costs_nothing(self, session):
        """At rest no clocks pass: not even idle ones are counted."""
        deadline = time.monotonic() + 60
        while True:
            before = session.engine.report()
            time.sleep(1.0)
            after = session.engine.report()
            if before["rests"] and all(before[end]["tap"] == after[end]["tap"] for end in "ab"):
                break
            assert time.monotonic() < deadline, "frames of IPv6 go on for some seconds"
        assert after["rests"] and after["time"] - before["time"] > 0.5
        assert all(before[end]["counters"] == after[end]["counters"] for end in "ab")


@needs_namespaces
@pytest.mark.timeout(180, func_only=True)
def test_loss_without_retransmissions_is_that_of_the_model():
    """Pings of 1000 bytes at persistency 0, K = N = 10: 1028 + 14 bytes are 44 units, so at p = 0.002 each way 8.4 % have no answer; of 600 the
    share has a standard deviation of 1.5 %. The answers are lost as well."""
    p, pings = 0.002, 600
    with Session(setup(n=10, delta="0", loss=f"bernoulli:{p}", feedback_loss=f"bernoulli:{p}", delay_ms=5.0), fresh()) as session:
        said(session, "a", "ping", "-c", "1", "-W", "3", "10.77.0.2")  # addresses are known now
        child = session.start("a", ["ping", "-q", "-c", str(pings), "-i", "0.03", "-s", "1000", "-W", "2", "10.77.0.2"], **TEXT)
        out, _ = child.communicate(timeout=120)
    received = int(re.findall(r"(\d+) received", out)[0])
    frames = (10, 10, 10, 10, 4)  # units of 24 bytes
    expected = 1 - (1 - p) ** (2 * sum(frames))
    deviation = math.sqrt(expected * (1 - expected) / pings)
    assert abs((pings - received) / pings - expected) < 5 * deviation
    assert expected > 5 * deviation, "no loss at all would be noticed"


@needs_namespaces
@pytest.mark.timeout(180, func_only=True)
@pytest.mark.parametrize("mode, counter", [("snoop,cache=512", "retransmissions"), ("split,cache=256", "acks_made"), ("clamp,cache=256", "flows_opened")])
def test_a_gateway_before_the_link(mode, counter, tmp_path):
    """TCP of Linux through the golden model, over a link that repairs nothing: files arrive as they are, ping and IPv6 pass."""
    content = seeds.rng("file").randbytes(300_000)
    (tmp_path / "file").write_bytes(content)
    losses = {"loss": "bernoulli:0.0003", "feedback_loss": "bernoulli:0.0003"}
    with Session(setup(n=10, delta="0", **losses), fresh(), gateway=mode) as session:
        server = session.start("b", [sys.executable, "-c", SINK, str(tmp_path / "copy")])
        time.sleep(1.0)
        sender = session.start("a", [sys.executable, "-c", SOURCE, str(tmp_path / "file")])
        sender.wait(90)
        server.wait(90)
        said(session, "a", "ping", "-c", "3", "-i", "0.2", "-W", "3", "fd77::2")
        counters = session.engine.report()["gateway"]
    assert (tmp_path / "copy").read_bytes() == content
    assert counters[counter] > 0 and counters["flows_opened"] == 1 and counters["not_tcp"] > 0


SOURCE = """
import socket, sys
with socket.create_connection(("10.77.0.2", 99)) as taken, open(sys.argv[1], "rb") as file:
    taken.sendall(file.read())
"""
SINK = """
import socket, sys
listener = socket.create_server(("10.77.0.2", 99))
taken, _ = listener.accept()
with open(sys.argv[1], "wb") as file:
    while data := taken.recv(65536):
        file.write(data)
"""


# The command ---------------------------------------------------------------------------------------------------------------------

COMMAND = [sys.executable, "-m", "arqlink", "live", "--config", "paper8", "--k", "10", "--n", "11", "--delay-ms", "20"]


def left_over(name):
    """Namespaces of a link."""
    return [space for space in os.listdir("/run/netns") if space.startswith(f"{name}-")]


@needs_namespaces
@pytest.mark.timeout(180, func_only=True)
class TestCommand:
    def test_exit_code_and_lines(self):
        name = fresh()
        done = subprocess.run([*COMMAND, "--name", name, "--json", "--", "sh", "-c", "sleep 2.5; exit 7"], capture_output=True, text=True, check=False)
        lines = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
        assert done.returncode == 7 and len(lines) == 3 and not left_over(name), done.stderr
        assert lines[0]["deadlines"] > 100 and set(lines[0]["directions"]) == {"ab", "ba"}

    def test_captures(self, tmp_path):
        """Frames of both devices, and units on the PHY, as many as the counters say; those with a bit in flags are erased."""
        name, files = fresh(), {option: tmp_path / f'{option} "\udcff.pcapng' for option in ("phy", "a", "b")}  # the name is no UTF-8
        words = [word for option, file in files.items() for word in (f"--pcap-{option}", str(file))]
        pinging = shlex.split("--delta inf --loss bernoulli:0.1 --json -- ping -c 10 -i 0.1 -s 1000 10.77.0.2")
        done = subprocess.run(
            [*COMMAND, "--name", name, *words, *pinging],
            capture_output=True, text=True, check=False, timeout=90,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert any(line.startswith("{") for line in done.stderr.splitlines())
        pings = [[packet for packet in rdpcap(str(files[side])) if packet.haslayer(ICMP)] for side in "ab"]
        assert [len(side) for side in pings] == [20, 20]
        assert bytes(pings[0][0]) == bytes(pings[1][0])  # as it went in, so it came out
        units = list(rdpcap(str(files["phy"])))
        erased = sum(1 for unit in units if bytes(unit)[2] == 2)
        times = [float(unit.time) for unit in units]
        assert times == sorted(times) and len(units) > 20 * 44 and 0.05 < erased / len(units) < 0.15

    def test_a_program_in_b_ends_with_it(self):
        name = fresh()
        done = subprocess.run(
            [*COMMAND, "--name", name, "--in-b", "sleep 1000", "--", "sh", "-c", "ping -c 2 -i 0.2 10.77.0.2 > /dev/null"], check=False, timeout=60
        )
        assert done.returncode == 0 and not left_over(name)

    def test_programs_that_are_not_there(self):
        name = fresh()
        done = subprocess.run([*COMMAND, "--name", name, "--", "no-such-program"], capture_output=True, text=True, check=False)
        assert done.returncode == 2 and done.stderr.strip().endswith("'no-such-program' cannot be run: No such file or directory.")
        assert not left_over(name)

    def test_two_of_a_name_are_refused(self):
        name = fresh()
        first = subprocess.Popen([*COMMAND, "--name", name, "--", "sleep", "60"], stderr=subprocess.DEVNULL)
        try:
            wait_for_namespaces(name, first)
            done = subprocess.run([*COMMAND, "--name", name, "--", "true"], capture_output=True, text=True, check=False)
            assert done.returncode == 2 and f"A live link '{name}' is running" in done.stderr and left_over(name)
        finally:
            first.terminate()
            first.wait(20)
        assert not left_over(name)

    @pytest.mark.parametrize("begun", [False, True])
    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    def test_signals_end_it(self, number, begun, tmp_path):
        """While its link is made, and once its program runs. Ctrl-C is for the group of processes, as a terminal sends it."""
        name, sign = fresh(), tmp_path / "begun"
        command = [*COMMAND, "--name", name, "--", "sh", "-c", f"touch {sign}; exec sleep 60"]
        live = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=hears_ctrl_c)
        wait_for_namespaces(name, live)
        while begun and not sign.exists():
            assert live.poll() is None
            time.sleep(0.05)
        (os.killpg if number == signal.SIGINT else os.kill)(live.pid, number)
        assert live.wait(20) == 128 + number and not left_over(name)

    def kills(self, times, seed):
        name, rng = fresh(), seeds.rng(seed)
        for _ in range(times):
            live = subprocess.Popen([*COMMAND, "--name", name, "--in-b", "sleep 1000", "--", "sleep", "1000"], stderr=subprocess.DEVNULL)
            time.sleep(rng.uniform(0.2, 4))
            live.kill()
            live.wait()
        time.sleep(0.5)
        assert not processes_of(name), "they end with their parent"
        done = subprocess.run([*COMMAND, "--name", name, "--", "ping", "-c", "1", "-W", "3", "10.77.0.2"], capture_output=True, check=False, timeout=60)
        assert done.returncode == 0 and not left_over(name)

    def test_the_next_start_works_after_a_kill(self):
        self.kills(3, 1)

    @pytest.mark.full
    @pytest.mark.timeout(600)
    def test_the_next_start_works_after_twenty_kills(self):
        self.kills(20, 2)


@pytest.mark.needs("namespaces", "user-namespaces")
def test_without_root_it_makes_a_user_namespace():
    name = fresh()
    done = subprocess.run(
        [*WITHOUT_RIGHTS, *COMMAND, "--name", name, "--quiet", "--", "ping", "-c", "2", "-i", "0.3", "-W", "5", "10.77.0.2"],
        capture_output=True, text=True, check=False, timeout=90,
    )  # fmt: skip
    assert done.returncode == 0 and "2 received" in done.stdout, done.stdout + done.stderr
    assert not left_over(name)


@needs_namespaces
@pytest.mark.timeout(180, func_only=True)
def test_a_very_slow_link(arqlink):
    """The slowest that is taken: it answers all that is asked, and ends with its command."""
    slow = ["--config", "paper8", "--rate-mbps", "0.0116", "--name", fresh()]
    code, _, error = arqlink("live", *slow, "--web", "0", "--json", "--", "sleep", "12")
    lines = [json.loads(line) for line in error.splitlines() if line.startswith("{")]
    assert code == 0 and len(lines) >= 2 and lines[-1]["time"] > 5, error


@needs_namespaces
def test_where_the_kernel_allows_none_it_says_what_is_needed(monkeypatch):
    monkeypatch.setattr(namespaces, "_is_privileged", lambda: False)
    monkeypatch.setenv(namespaces.AGAIN, "1")
    with pytest.raises(UserError, match="Network namespaces need root here"):
        namespaces.require()
    monkeypatch.setattr(namespaces, "TUN", "/nowhere/tun")
    with pytest.raises(UserError, match="There is no /nowhere/tun"):
        namespaces.require()


def wait_for_namespaces(name, process):
    deadline = time.monotonic() + 60
    while len(left_over(name)) < 2:
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)


def processes_of(name):
    from pyroute2 import netns

    return [process for space in left_over(name) for process in netns.ns_pids().get(space, [])]


def test_a_lock_goes_with_its_process(tmp_path, monkeypatch):
    monkeypatch.setattr(namespaces, "LOCKS", tmp_path)
    with namespaces.locked("x"), pytest.raises(UserError, match="A live link 'x' is running"), namespaces.locked("x"):
        pass
    with namespaces.locked("x"):
        pass


def test_a_lock_leaves_no_file(tmp_path, monkeypatch):
    """Nor does the next one take a file that is being removed: then two would have a lock each."""
    monkeypatch.setattr(namespaces, "LOCKS", tmp_path)
    path, real = tmp_path / "arqlink-x.lock", namespaces.fcntl.flock

    def flock(file, operation):
        monkeypatch.setattr(namespaces.fcntl, "flock", real)
        path.unlink()  # by the link before, which ends now
        real(file, operation)

    monkeypatch.setattr(namespaces.fcntl, "flock", flock)
    with namespaces.locked("x"):
        assert path.exists()
        with pytest.raises(UserError, match="A live link 'x' is running"), namespaces.locked("x"):
            pass
    assert not list(tmp_path.iterdir())


def begin_in(name):
    """A process that is in a namespace."""
    process = subprocess.Popen(["ip", "netns", "exec", name, "sleep", "1000"])
    while not os.path.samefile(f"/proc/{process.pid}/ns/net", f"/run/netns/{name}"):
        time.sleep(0.01)
    return process


@contextmanager
def strangers(name):
    """A namespace that somebody else has made, with a process of his."""
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        process = begin_in(name)
        try:
            yield process
        finally:
            process.kill()
            process.wait()
    finally:
        subprocess.run(["ip", "netns", "delete", name], check=True)


@needs_namespaces
@pytest.mark.parametrize("side", "ab")
def test_a_namespace_of_somebody_else_is_refused_and_left_alone(side, arqlink):
    name = fresh()
    with strangers(f"{name}-{side}") as process:
        identity = os.stat(f"/run/netns/{name}-{side}").st_ino
        code, _, error = arqlink("live", "--name", name, "--", "true")
        assert code == 2 and error.startswith(f"The network namespace '{name}-{side}' is there, and no live link has made it;") and error.count("\n") == 1
        assert process.poll() is None and os.stat(f"/run/netns/{name}-{side}").st_ino == identity
        assert left_over(name) == [f"{name}-{side}"]


@needs_namespaces
def test_a_name_that_was_not_finished_is_taken():
    """Who is killed between a name and its namespace leaves a plain file."""
    name = fresh()
    with namespaces.Pair(fresh(), 1500, 50):  # the folder is there
        for side in "ab":
            open(f"/run/netns/{name}-{side}", "w").close()
    with namespaces.Pair(name, 1500, 50):
        assert all(namespaces.is_ours(f"{name}-{side}") for side in "ab")
    assert not left_over(name)


@needs_namespaces
def test_a_namespace_that_somebody_puts_in_the_place_of_ours_is_left_alone():
    """It may have the number that ours had."""
    name = fresh()
    with namespaces.Pair(name, 1500, 50) as pair:
        for tap in pair.taps:
            os.close(tap)
        pair.taps.clear()
        subprocess.run(["ip", "netns", "delete", f"{name}-b"], check=True)
        with strangers(f"{name}-b") as process:
            pair.clear()
            assert process.poll() is None and left_over(name) == [f"{name}-b"]


@needs_namespaces
def test_what_an_earlier_link_has_left_is_taken_down():
    name = fresh()
    namespaces.make(f"{name}-a")
    process = begin_in(f"{name}-a")
    with namespaces.Pair(name, 1500, 50):
        assert process.wait(10) == -signal.SIGTERM
    assert not left_over(name)


@needs_namespaces
def test_an_engine_that_cannot_begin_says_why():
    refused = pytest.raises(UserError, match="A TAP device cannot be read")
    with refused, open("/dev/null", "w") as file, Engine(setup(), (file.fileno(), file.fileno()), 4) as engine:
        time.sleep(0.2)
        engine.report()
