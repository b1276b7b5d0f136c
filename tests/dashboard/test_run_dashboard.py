# SPDX-License-Identifier: Apache-2.0
"""`arqlink send --web` and `arqlink stats --web`: what a page hears of a run, that it changes nothing, and that the run is the same as without."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace

import pytest
from websockets.exceptions import ConnectionClosed

from arqlink.dashboard import view, web
from arqlink.errors import UserError
from arqlink.model import link_setup
from arqlink.rtl import registers
from arqlink.run import harness, pair, pair_simulator
from arqlink.run.run_source import LOCKED, RunSource
from tests import seeds
from tests.dashboard.test_dashboard import ERRORS, REFUSED, answer, get, live, until
from tests.interrupts import hears_ctrl_c

LINK = {"config": "montecarlo", "k": 10, "n": 11, "delta": "1", "loss": "bernoulli:0.05"}
ALL = [f"{block}.{name}" for block, names in pair.WATCHED.items() for name in names] + [f"{end}.{name}" for end in "ab" for name in registers.counter_names()]
SPEED = ("cycles_per_s", "cycles_per_cpu_s")
UP = registers.pack("a", "STATUS", state=3, stalled=1)


def setup(**more):
    return link_setup.from_options(**(LINK | more))


def report(clock, **values):
    """As the simulator writes it, of values such as a_tx_frames."""
    return {"clock": clock, "waiting": 7, "registers": dict.fromkeys(ALL, 0) | {name.replace("_", ".", 1): value for name, value in values.items()}}


@pytest.fixture
def source():
    return RunSource(setup(), "arqlink stats", "a run")


@contextmanager
def serving(source):
    """A server that ends as the command's does."""
    with web.Server(view.View(source), web.listen("127.0.0.1", 0)) as server:
        with source:
            yield server
        server.finish()


@pytest.fixture
def endless_farewell(monkeypatch):
    """A server that waited for pages without need would wait until the test is ended."""
    monkeypatch.setattr(web, "FAREWELL", 1e6)


# The run is the same ------------------------------------------------------------------------------------------------------------


def without_times(result):
    return {name: value for name, value in result.report.items() if name not in ("wall_s", "cpu_s")}


@pytest.fixture
def often(monkeypatch):
    """Reports as fast as they can be made."""
    monkeypatch.setattr(harness, "REPORT_S", 1e-9)


def twice(link, job, waves=False):
    """(result of a job, that of the same job while it is watched, its reports)"""
    program, reports = pair_simulator.simulator(link.config, waves=waves), []
    return harness.run(program, job()), harness.run(program, job(), watch=reports.append), reports


def test_stats_are_the_same_while_they_are_watched(often, tmp_path):
    link = setup()
    captures = (str(tmp_path / f"{i}.pcapng") for i in range(2))
    plain, watched, reports = twice(link, lambda: pair.stats_job(link, 6000, phy_capture=next(captures)))
    assert without_times(plain) == without_times(watched)
    assert (tmp_path / "0.pcapng").read_bytes() == (tmp_path / "1.pcapng").read_bytes()
    check_reports(reports, watched)


def test_a_transfer_is_the_same_while_it_is_watched(often):
    link = setup(ord=0, feedback_loss="bernoulli:0.01")
    rng = seeds.rng("packets")
    packets = [rng.randbytes(length) for length in range(200, 1400)]
    plain, watched, reports = twice(link, lambda: pair.send_job(link, packets))
    assert without_times(plain) == without_times(watched)
    assert plain.deliveries == watched.deliveries and plain.sent == watched.sent and plain.deliveries
    check_reports(reports, watched)
    waiting = [one["waiting"] for one in reports]
    assert waiting == sorted(waiting, reverse=True) and len(packets) > waiting[0] > waiting[-1] == 0


def check_reports(reports, result):
    assert len(reports) > 10
    for name in ("a.tx_frames", "a.tx_frames_acked", "b.rx_packets"):
        values = [one["registers"][name] for one in reports]
        assert values == sorted(values) and values[0] < values[len(values) // 2] < values[-1], name
    assert [one["clock"] for one in reports] == sorted(one["clock"] for one in reports)
    assert reports[-1]["clock"] == result.report["clocks"] and reports[-1]["registers"] == result.report["registers"]


def test_packets_of_later_do_not_wait(often):
    link, reports = setup(delta="inf", loss="none"), []
    job = pair.send_job(link, [bytes(100)] * 200, [1000 * i for i in range(200)])
    harness.run(pair_simulator.simulator(link.config), job, watch=reports.append)
    assert max(one["waiting"] for one in reports) < 5


@pytest.mark.full
def test_waves_are_the_same_while_they_are_watched(often, tmp_path):
    link = setup()
    waves = (tmp_path / f"{i}.fst" for i in range(2))
    twice(link, lambda: pair.stats_job(link, 600, waves=next(waves)), waves=True)
    one, other = ((tmp_path / f"{i}.fst").read_bytes() for i in range(2))
    assert len(one) == len(other) > 1000, "with the time of its writing, which may differ"


def test_errors_of_the_simulator_are_told_whole(often):
    link = setup()
    job = pair.stats_job(link, 1000)
    job.registers = {name: address for name, address in job.registers.items() if name != "b.STATUS"}
    with pytest.raises(UserError, match="The job does not give the address of b.STATUS."):
        harness.run(pair_simulator.simulator(link.config), job, watch=lambda _: None)


@pytest.mark.parametrize("output", ["json", "table"])
def test_the_command_prints_the_same(arqlink, output):
    arguments = ("stats", "--frames", 2000, "--config", "montecarlo", "--k", 10, "--n", 11, *(["--json"] if output == "json" else []))
    plain, watched = arqlink(*arguments), arqlink(*arguments, "--web", 0)
    assert plain[0] == watched[0] == 0 and plain[2] == "" and watched[2].startswith("Dashboard: http://127.0.0.1:") and watched[2].count("\n") == 1
    if output == "json":
        one, other = (json.loads(out) for _, out, _ in (plain, watched))
        assert one | dict.fromkeys(SPEED) == other | dict.fromkeys(SPEED)
    else:
        assert [line for line in plain[1].splitlines() if "clocks/s" not in line] == [line for line in watched[1].splitlines() if "clocks/s" not in line]


def test_a_sent_file_is_the_same(arqlink, tmp_path):
    (tmp_path / "in").write_bytes(seeds.rng("input").randbytes(30_000))
    arguments = ("--config", "montecarlo", "--k", 10, "--n", 11, "--delay-ms", 5, "--delta", 0, "--loss", 0.05, "--json")
    plain, watched = arqlink("send", "in", "one", *arguments), arqlink("send", "--web", "0", "in", "other", *arguments)
    assert plain[0] == watched[0] == 0 and (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()
    assert json.loads(plain[1]) | dict.fromkeys(SPEED) == json.loads(watched[1]) | dict.fromkeys(SPEED)


# What is said -------------------------------------------------------------------------------------------------------------------


def test_a_page_hears_of_the_run(source):
    clock_hz = source.setup.clock_hz
    with serving(source) as server, live(server) as socket:
        hello = until(socket, "hello")
        assert (hello["title"], hello["name"], hello["locked"], hello["look_back"]) == ("arqlink stats", "a run", LOCKED, None)
        take = source.begin(1000)
        sent = {"a_tx_frames": 120, "a_tx_frames_acked": 90, "a_tx_frames_abandoned": 10, "a_tx_units": 1320, "a_tx_outcomes_ok": 95}
        take(report(clock_hz / 2, a_STATUS=UP, **sent, a_tx_outcomes_failed=5, ab_ERASED=60, ab_CONTROL_ERASED=6, b_rx_bytes=1000))
        sample = until(socket, "sample")
    way = sample["directions"]["ab"]
    assert sample["time"] == 0.5 and sample["progress"]["done"] == 100 and sample["progress"]["total"] == 1000
    assert sample["progress"]["clocks_per_s"] == pytest.approx(sample["progress"]["pace"] * clock_hz) and sample["progress"]["pace"] > 0
    assert way["loss"] == 0.05 and way["mbps"] == 0.016 and way["backlog"] == 7 and way["window"] == 20 / source.setup.limits["window_frames"]
    assert way["measured"]["p_t"] == 0.05 and way["model"]["p_t"] == source.setup.model().p_t
    end = sample["ends"]["a"]
    assert (end["state"], end["stalled"], end["k"], end["n"], end["nr"], end["delta"], end["ord"]) == ("up", True, 10, 11, 11, 1, True)


def test_events_come_once_though_their_bits_stay(source):
    outage, restart = (1 << ERRORS[name].shift for name in ("outage", "peer_restart"))
    shown = view.View(source)
    found = []
    for bits in (0, outage, outage, outage | restart, outage | restart):
        source.take(report(1, b_ERROR=bits))
        found.append(shown.look()["ends"]["b"]["events"])
    assert found == [[], ["outage"], [], ["peer_restart"], []]
    assert [event[1:] for event in shown.hello()["log"]] == [["b", "outage"], ["b", "peer_restart"]]


def test_what_is_measured_is_of_the_whole_run(source):
    shown = view.View(source)
    for i in range(1, 100):
        source.take(report(i * source.setup.clock_hz, a_tx_outcomes_ok=9 * i, a_tx_outcomes_failed=i))
        measured = shown.look()["directions"]["ab"]["measured"]
        assert measured["transmissions"] == 10 * i and measured["p_t"] == 0.1


def test_of_reports_that_nobody_read_the_newest_counts(source):
    shown = view.View(source)
    for frames in (1, 2, 3):
        source.take(report(frames, a_tx_frames=frames, a_ERROR=1 << frames))
    sample = shown.look()
    assert sample["directions"]["ab"]["frames"] == 3


def test_an_infinite_persistency_and_a_trace_are_shown(tmp_path):
    (tmp_path / "t").write_text("0000000001" * 10)
    source = RunSource(setup(delta="inf", loss=f"trace:{tmp_path / 't'}", delay_ms=0), "arqlink send", "a file")
    shown = view.View(source)
    source.take(report(1))
    sample = json.loads(json.dumps(shown.look(), allow_nan=False))
    assert sample["ends"]["a"]["delta"] == 15 and sample["loss"].startswith("trace:") and shown.hello()["delay_ms"] == [0, 1000]


# What is asked ------------------------------------------------------------------------------------------------------------------


def test_every_message_is_refused(source):
    with serving(source) as server, live(server) as socket:
        for text in ('{"set": {"k": 5}}', '{"loss": "none"}', '{"feedback_loss": "none"}', '{"delay_ms": 50}', '{"restart": "A"}'):
            assert answer(socket, text) == {"refused": LOCKED}
    assert source.setup == setup()


@pytest.mark.parametrize("part", range(4))
def test_hostile_messages_are_refused(source, part):
    with serving(source) as server, live(server) as socket:
        for text, _ in REFUSED[part::4]:
            assert answer(socket, text) == {"refused": LOCKED if isinstance(text, str) else "A message is text, not binary."}


# How it ends --------------------------------------------------------------------------------------------------------------------


def ends(source, error=None):
    with ExitStack() as stack:
        stack.push(source.__exit__)
        if error:
            raise error


@pytest.mark.parametrize(
    "error, sentence",
    [
        (None, "The run has ended."),
        (UserError("The link made no progress."), "The run has ended before its time. The link made no progress."),
        (KeyboardInterrupt(), "The run has ended before its time. It was interrupted."),
        (OSError(28, "No space left on device"), "The run has ended before its time. There was an error."),
    ],
)
def test_a_page_gets_the_last_state_and_then_why_it_ended(source, error, sentence, endless_farewell):
    with web.Server(view.View(source), web.listen("127.0.0.1", 0)) as server, live(server) as socket:
        source.take(report(1000, a_tx_frames=5))
        try:
            ends(source, error)
        except BaseException as raised:
            assert raised is error
        server.finish()
        last = None
        while "ended" not in (message := json.loads(socket.recv(60))):
            last = message.get("sample", last)
        assert message == {"ended": sentence} and last and last["ends"]["a"]["counters"]["tx_frames"] == 5
        with live(server) as late:
            assert json.loads(late.recv(60))["ended"] == sentence, "who comes now hears it at once"


def test_without_pages_nothing_is_waited_for(source, endless_farewell):
    with serving(source) as server:
        pass
    assert server._told.is_set()


def test_pages_that_stay_or_do_not_read_hold_up_little(source):
    with ExitStack() as pages:
        with serving(source) as server:
            deaf, open_one = (pages.enter_context(live(server)) for _ in range(2))
            source.take(report(1))
            until(open_one, "sample")
        with pytest.raises(OSError):
            get(server)
        with pytest.raises(ConnectionClosed):
            while True:
                deaf.recv(60)


def test_a_view_that_waits_for_news_is_woken(source):
    shown, found = view.View(source), []

    def look():
        try:
            shown.look()
        except UserError as error:
            found.append(str(error))

    thread = threading.Thread(target=look)
    thread.start()
    time.sleep(0.1)
    assert thread.is_alive(), "there is no news"
    ends(source)
    thread.join(60)
    assert found == ["The run has ended."]


def minds_interrupts(command):
    """Starts a command that Ctrl-C ends."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, preexec_fn=hears_ctrl_c, **pipes)


@contextmanager
def long_run():
    """(process, the page's socket) of a command that has begun and would take hours. Its simulator has to end with it."""
    pair_simulator.simulator("montecarlo")
    command = [sys.executable, "-m", "arqlink", "stats", "--config", "montecarlo", "--frames", "1e8", "--web", "0"]
    process = minds_interrupts(command)
    try:
        assert process.stderr
        port = int(process.stderr.readline().split(":")[-1].strip("/\n"))
        with live(SimpleNamespace(port=port, token=None)) as socket:
            while until(socket, "sample")["progress"]["done"] == 0:
                pass
            simulators = children(process.pid)
            assert simulators
            yield process, socket
            end = time.monotonic() + 60
            while any(os.path.exists(f"/proc/{pid}") for pid in simulators):
                assert time.monotonic() < end, "its simulator goes on"
                time.sleep(0.1)
    finally:
        process.kill()
        process.communicate(timeout=60)


def test_control_c_ends_all():
    """The command, its simulator, and the page."""
    with long_run() as (process, socket):
        process.send_signal(signal.SIGINT)
        assert until(socket, "ended") == "The run has ended before its time. It was interrupted."
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out) == (130, "") and err.endswith("Interrupted.\n")


def test_a_command_that_is_killed_leaves_no_simulator():
    with long_run() as (process, _):
        process.kill()
        process.communicate(timeout=60)


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as found:
        return found.read().split()


def test_without_starlette_a_sentence_says_so(arqlink, monkeypatch):
    monkeypatch.setitem(sys.modules, "starlette", None)
    code, _, error = arqlink("stats", "--frames", 1000, "--web", 0)
    assert code == 2 and "starlette" in error and "Traceback" not in error
