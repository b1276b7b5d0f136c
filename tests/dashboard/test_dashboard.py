# SPDX-License-Identifier: Apache-2.0
"""The dashboard's server, with a link that is made up: what it says, what may be asked of it, and who may ask."""

import asyncio
import json
import math
import socket
import threading
import time
import urllib.error
import urllib.request
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from arqlink.dashboard import view, web
from arqlink.errors import UserError
from arqlink.live.reports import Reports
from arqlink.live.source import LiveSource
from arqlink.live.steering import Steering
from arqlink.model import link_setup, loss
from arqlink.rtl import registers

CONFIG = {"config": "paper8", "k": 10, "n": 11, "delay_ms": 50.0, "delta": "3", "loss": "bernoulli:0.01"}
ERRORS = registers.contract().ARQLINK["ERROR"].fields


def setup(**more):
    return link_setup.from_options(**(CONFIG | more))


class FakeEngine:
    """Has two ends with settings, and counts what comes; `stubborn`: the end that refuses any settings."""

    def __init__(self, setup):
        self.settings = {end: {"k": setup.k, "n": setup.n, "nr": setup.nr, "delta": setup.arq_delta, "ord": setup.ord} for end in "ab"}
        self.losses, self.delay, self.timers, self.restarts, self.order = {}, None, setup.timers, [], []
        self.stubborn, self.events, self.reports, self.is_over = None, 0, 0, False
        self.counters = dict.fromkeys(registers.counter_names(), 0)
        self.bug = None

    def report(self):
        if self.is_over:
            raise UserError("The link has ended.")
        if self.bug:
            raise self.bug
        self.reports += 1
        events, self.events = self.events, 0
        end = {"state": "up", "stalled": False, "events": events, "backlog": 0, "cut": 0, "tap": {"in": 0, "out": 0}, "counters": dict(self.counters)}
        ends = {name: end | settings for name, settings in self.settings.items()}
        return {"time": self.reports / 4, "latest": self.reports * 1e-3, "deadlines": 250 * self.reports, "missed": 0, "lost": 0.0, "rests": False} | ends

    def set(self, end, **values):
        if end == self.stubborn:
            raise UserError("A value is beyond what the link is built for.")
        self.order.append((end, values))
        time.sleep(1e-4)  # others may come between
        numbers = {name: 15 if value == math.inf else value for name, value in values.items()}
        self.settings[end.lower()].update(numbers)

    def set_loss(self, end, process):
        self.losses[end] = process

    def set_delay(self, milliseconds):
        self.delay = milliseconds

    def set_timers(self, timers):
        self.timers = timers

    def command(self, name, **values):
        self.restarts.append((name, values))

    def state(self):
        return json.dumps([self.settings, {end: str(process) for end, process in self.losses.items()}, self.delay, self.timers, self.restarts])


def fake_session(**more):
    made = setup(**more)
    engine = FakeEngine(made)
    return SimpleNamespace(setup=made, name="fake", engine=engine, reports=Reports(engine))


@pytest.fixture
def session():
    return fake_session()


@contextmanager
def serving(session, host="127.0.0.1"):
    with web.Server(view.View(LiveSource(session)), web.listen(host, 0), host) as server:
        yield server


@pytest.fixture
def server(session):
    with serving(session) as server:
        yield server


def live(server, **options):
    """A WebSocket as the page opens it."""
    token = f"?token={server.token}" if server.token else ""
    return connect(f"ws://127.0.0.1:{server.port}/live{token}", **options)


def until(socket, key):
    """The next message that has this key."""
    while True:
        message = json.loads(socket.recv(60))
        if key in message:
            return message[key]


def answer(socket, message):
    socket.send(message)
    while True:
        found = json.loads(socket.recv(60))
        if "done" in found or "refused" in found:
            return found


def get(server, path="/", **headers):
    """(status, text, headers) of a request."""
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}", headers={"Host": f"127.0.0.1:{server.port}"} | headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as found:
            return found.status, found.read().decode(), dict(found.headers)
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), dict(error.headers)


# What is said ------------------------------------------------------------------------------------------------------------------


def test_a_page_hears_what_the_link_is_and_then_what_it_does(server, session):
    with live(server) as socket:
        first = json.loads(socket.recv(60))
        assert first["hello"]["limits"]["max_k"] == 10 and first["hello"]["config"] == "paper8"
        assert list(first["hello"]["events"]) == list(ERRORS) and len(first["hello"]["counters"]) == len(registers.counter_names())
        until(socket, "sample")
        session.engine.counters |= {
            "tx_outcomes_ok": 97,
            "tx_outcomes_failed": 3,
            "rx_frames_clean": 6,
            "rx_frames_repaired": 2,
            "tx_acked_0": 4,
            "tx_acked_2": 4,
        }
        session.engine.events = 1 << ERRORS["outage"].shift
        while not (sample := until(socket, "sample"))["directions"]["ab"]["measured"]["transmissions"]:
            pass
    way = sample["directions"]["ab"]
    assert way["measured"]["p_t"] == 0.03 and way["measured"]["transmissions"] == 100
    assert way["fates"] == {"clean": 3.0, "repaired": 1.0, "again": [0, 4] + 13 * [0], "abandoned": 0}
    assert sample["ends"]["a"]["events"] == ["outage"] and sample["ends"]["a"]["k"] == 10 and sample["loss"] == "bernoulli:0.01"


def test_messages_come_four_times_a_second(session, monkeypatch):
    """On a clock that looking moves, and sleeping: what looking takes is not added, and a message that is late brings no others sooner."""
    now, looks, lasts = 0.0, [], [0.1, 0.1, 1.0, 0.1, 0.2, 0.0]

    async def sleep(seconds):
        nonlocal now
        now += seconds

    def look():
        nonlocal now
        if len(looks) == len(lasts):
            raise UserError("It is over.")
        looks.append(now)
        now += lasts[len(looks) - 1]
        return dict.fromkeys(("time", "seconds", "at", "span", "directions"))

    server = web.Server(SimpleNamespace(look=look), web.listen("127.0.0.1", 0))
    monkeypatch.setattr(web, "time", SimpleNamespace(monotonic=lambda: now))
    monkeypatch.setattr(web.asyncio, "sleep", sleep)
    asyncio.run(server._push())
    assert looks == pytest.approx([0, 0.25, 0.5, 1.5, 1.75, 2.0])


def test_the_model_is_that_of_the_active_settings(session):
    shown = view.View(LiveSource(session))
    session.engine.settings["a"].update(k=5, n=7, nr=8, delta=15)
    found = shown.look()["directions"]
    expected = setup(k=5, n=7, nr=8, delta="inf").model(found["ab"]["model"]["packet_bytes"])
    assert found["ab"]["model"]["p_t"] == expected.p_t and found["ab"]["model"]["alpha"] == expected.alpha
    assert found["ba"]["model"]["p_t"] == 0, "nothing is lost on the way back"


@pytest.mark.parametrize("process", ["none", "bernoulli:1", "bernoulli:1e-12", "ge:0.001,0.1,0,1", "ge:0,0,1,1"])
@pytest.mark.parametrize("delta", [0, 14, 15])
def test_messages_are_json_with_any_loss(session, process, delta):
    session.setup.loss = loss.parse(process)
    shown = view.View(LiveSource(session))
    session.engine.settings["a"].update(delta=delta)
    assert json.loads(json.dumps(shown.look(), allow_nan=False))["directions"]["ab"]["model"]["p_t"] is not None


def test_what_is_measured_begins_anew_with_other_settings(session):
    shown = view.View(LiveSource(session))
    shown.look()
    session.engine.counters |= {"tx_outcomes_failed": 50, "tx_outcomes_ok": 50}
    assert shown.look()["directions"]["ab"]["measured"]["p_t"] == 0.5
    shown.steer('{"loss": "bernoulli:0.2"}')
    assert shown.look()["directions"]["ab"]["measured"]["transmissions"] == 0
    session.engine.counters["tx_outcomes_ok"] += 10
    assert shown.look()["directions"]["ab"]["measured"] == {"p_t": 0.0, "p_f": None, "alpha": None, "transmissions": 10, "frames": 0, "seconds": 0.25}


def test_what_is_measured_is_forgotten_after_ten_seconds(session):
    shown = view.View(LiveSource(session))
    session.engine.counters["tx_outcomes_failed"] = 7
    for _ in range(60):
        shown.look()
    found = shown.look()["directions"]["ab"]["measured"]
    assert found["transmissions"] == 0 and found["seconds"] == 10.0


def test_each_reader_of_reports_gets_all_events_and_the_latest_deadline(session):
    one, other = session.reports.reader(), session.reports.reader()
    session.engine.events = 0b101
    assert one.read()["a"]["events"] == 0b101 and one.read()["a"]["events"] == 0
    session.engine.events = 0b10
    assert one.read()["b"]["events"] == 0b10
    found = other.read()
    assert found["a"]["events"] == found["b"]["events"] == 0b111 and found["latest"] == 4e-3
    assert other.read()["a"]["events"] == 0


def test_counters_go_on_where_a_firmware_clears_them(session):
    """`stats reset` on the console of a soft CPU: no rate is below 0, and what was measured stays."""
    shown = view.View(LiveSource(session))
    session.engine.counters |= {"tx_units": 500, "rx_bytes": 9000, "rx_erased_flag": 9, "tx_frames": 40, "tx_frames_acked": 30, "tx_outcomes_ok": 30}
    shown.look()
    cleared = {"tx_units": 20, "rx_bytes": 100, "rx_erased_flag": 1, "tx_frames": 0, "tx_frames_acked": 20, "tx_outcomes_ok": 2}
    session.engine.counters |= cleared
    found = shown.look()
    way, counters = found["directions"]["ab"], found["ends"]["a"]["counters"]
    assert (counters["tx_units"], counters["rx_bytes"], counters["tx_frames"]) == (520, 9100, 40)
    assert way["mbps"] == pytest.approx(8e-6 * 100 / 0.25) and way["loss"] == 1 / 20 and way["frames"] == 0 and way["window"] == 0
    assert way["measured"]["transmissions"] == 32
    session.engine.counters["rx_bytes"] = 50
    assert shown.look()["ends"]["b"]["counters"]["rx_bytes"] == 9150, "and once more"


def test_a_new_page_gets_the_last_minute(server, session):
    session.engine.events = 1 << ERRORS["resync"].shift
    time.sleep(1)
    with live(server) as socket:
        first = json.loads(socket.recv(60))
    assert len(first["history"]) >= 3 and first["history"][0]["directions"]["ab"]["fates"]
    assert [event[1:] for event in first["hello"]["log"]] == [["a", "resync"], ["b", "resync"]]


def test_when_the_link_ends_the_page_hears_why(server, session):
    with live(server) as socket:
        session.engine.is_over = True
        assert until(socket, "ended") == "The link has ended."


def test_an_error_of_the_view_is_told_to_all_pages_and_to_the_terminal(server, session, capfd):
    """Nothing comes any more, so all of them have to hear why, those that open later as well."""
    with live(server) as one, live(server) as other:
        session.engine.bug = KeyError("colour")
        told = [until(socket, "ended") for socket in (one, other)]
        with live(server) as late:
            told.append(json.loads(late.recv(10))["ended"])
    assert told == ["The dashboard has an error, which is a bug of it: KeyError('colour')."] * 3
    assert capfd.readouterr().err.splitlines() == told[:1]


def test_a_sample_that_is_no_json_ends_it_with_a_sentence(server, session):
    with live(server) as socket:
        session.engine.counters["rx_bytes"] = math.nan
        assert "a bug of it: ValueError" in until(socket, "ended")


def test_an_error_while_a_setting_changes_is_told(server, session):
    with live(server) as socket:
        until(socket, "sample")
        session.engine.set_delay = lambda _: {}["colour"]
        assert "a bug of it: KeyError('colour')" in answer(socket, '{"delay_ms": 20}')["refused"]
        assert until(socket, "sample")


# What is asked -----------------------------------------------------------------------------------------------------------------


def test_settings_go_to_both_ends(server, session):
    with live(server) as socket:
        assert answer(socket, '{"set": {"k": 5, "n": 8, "nr": 9, "delta": "inf", "ord": 0}}') == {"done": "set"}
        assert session.engine.settings == {end: {"k": 5, "n": 8, "nr": 9, "delta": 15, "ord": 0} for end in "ab"}
        assert answer(socket, '{"set": {"delta": 2}}') == {"done": "set"}
        assert session.engine.settings["b"] == {"k": 5, "n": 8, "nr": 9, "delta": 2, "ord": 0}
        assert answer(socket, '{"set": {"n": 6}}') == {"done": "set"}, "K is 5 now"


def test_losses_delay_and_restart(server, session):
    with live(server) as socket:
        assert [answer(socket, text) for text in ('{"loss": "0.5"}', '{"feedback_loss": "ge:0.001,0.1,0,1"}')] == [{"done": "loss"}, {"done": "feedback_loss"}]
        assert answer(socket, '{"delay_ms": 70.5}') == {"done": "delay_ms"} and answer(socket, '{"restart": "B"}') == {"done": "restart"}
        sample = until(socket, "sample")
        sample = until(socket, "sample")
    assert session.engine.losses == {"A": loss.Bernoulli(0.5), "B": loss.GilbertElliott(0.001, 0.1, 0, 1)}
    assert session.engine.delay == 70.5 and session.engine.restarts == [("restart", {"end": "B"})]
    assert (sample["loss"], sample["feedback_loss"], sample["delay_ms"]) == ("bernoulli:0.5", "ge:0.001,0.1,0,1", 70.5)


def test_timers_follow_the_delay_and_the_code(server, session):
    """A poll comes after a round trip and some frames, as it would if the link had been started so."""
    with live(server) as socket:
        for message, expected in (('{"delay_ms": 400}', {"delay_ms": 400.0}), ('{"set": {"n": 16, "nr": 16}}', {"delay_ms": 400.0, "n": 16, "nr": 16})):
            assert "done" in answer(socket, message)
            assert session.engine.timers == setup(**expected).timers
    assert session.engine.timers["POLL_TIMEOUT"] > 5 * setup().timers["POLL_TIMEOUT"]


def test_fading_becomes_the_chain_that_it_is_for_these_units(session):
    Steering(session.setup, session.engine, session.reports.reader()).take('{"loss": "fading:20,0.1"}')
    assert session.engine.losses["A"].mean() == pytest.approx(0.1)


REFUSED = [
    ("", "The message is not JSON."),
    ("nonsense", "The message is not JSON."),
    ("{", "The message is not JSON."),
    ("[" * 900, "The message is not JSON."),
    ('{"a":' * 150, "The message is not JSON."),
    ('{"delay_ms": NaN}', "The message is not JSON."),
    ("[1]", "A message is an object"),
    ("7", "A message is an object"),
    ("null", "A message is an object"),
    ("{}", "A message has one command, not 0"),
    ('{"delay_ms": 50, "restart": "A"}', "A message has one command, not 2"),
    ('{"delay_ms": 50, "delay_ms": 60}', "A name comes twice"),
    ('{"set": {"k": 5, "k": 6}}', "A name comes twice"),
    ('{"dance": 1}', '"dance" is not a command; there are set, loss,'),
    ('{"__class__": 1}', "is not a command"),
    (json.dumps({"x" * 900: 1}), "is not a command"),
    ('{"set": 5}', "'set' has settings by their names"),
    ('{"set": {}}', "'set' has settings by their names"),
    ('{"set": []}', "'set' has settings by their names"),
    ('{"set": {"colour": 5}}', '"colour" is not a setting; there are k, n, nr, delta, ord.'),
    ('{"set": {"k": 5, "config": "default"}}', '"config" is not a setting'),
    ('{"set": {"k": "5"}}', 'k is "5"; it must be a whole number'),
    ('{"set": {"k": 5.0}}', "k is 5.0; it must be a whole number"),
    ('{"set": {"k": true}}', "k is true; it must be a whole number"),
    ('{"set": {"k": null}}', "k is null"),
    ('{"set": {"k": 0}}', "K is 0; configuration 'paper8' allows 1 to 10."),
    ('{"set": {"k": 11, "n": 12, "nr": 12}}', "K is 11; configuration 'paper8' allows 1 to 10."),
    ('{"set": {"k": -1}}', "k is -1; it must be a whole number"),
    ('{"set": {"n": 9}}', "N is 9; with K = 10, configuration 'paper8' allows 10 to 18."),
    ('{"set": {"n": 19}}', "N is 19; with K = 10"),
    ('{"set": {"nr": 19}}', "N of retransmissions is 19; with K = 10"),
    ('{"set": {"ord": 2}}', "ord is 2; it must be 0 or 1."),
    ('{"set": {"delta": 15}}', "The persistency is 15; it must be 0 to 14, or inf."),
    ('{"set": {"delta": -1}}', "The persistency is -1"),
    ('{"set": {"delta": "INF"}}', "The persistency is"),
    ('{"set": {"delta": [3]}}', "The persistency is [3]"),
    ('{"set": {"k": %s}}' % ("9" * 900), "k is 9999"),
    ('{"set": {"delta": %s}}' % ("9" * 900), "The persistency is 9999"),
    ('{"loss": 0.1}', "A loss is text"),
    ('{"loss": "bernoulli:2"}', "has the probability 2"),
    ('{"loss": "bernoulli:nan"}', "has the probability nan"),
    ('{"loss": "bernoulli:-0.1"}', "has the probability -0.1"),
    ('{"loss": "rain"}', "The loss model 'rain' is not understood"),
    ('{"loss": "\\ud800"}', "is not understood"),
    ('{"loss": "trace:/etc/passwd"}', "A trace has an end"),
    ('{"feedback_loss": " trace :/etc/passwd"}', "A trace has an end"),
    ('{"delay_ms": 0}', "The delay is 0; it must be a number of ms from 1 to 1000."),
    ('{"delay_ms": 1e999}', "The delay is Infinity"),
    ('{"delay_ms": %s}' % ("9" * 900), "The delay is 9999"),
    ('{"delay_ms": "50"}', 'The delay is "50"'),
    ('{"delay_ms": true}', "The delay is true"),
    ('{"restart": "C"}', '"C" is not an end; there are A and B.'),
    ('{"restart": ["A"]}', '["A"] is not an end'),
    ('{"set": {"k": 5}}' + " " * 1000, "The message has 1017 characters; there may be 1000."),
    ("x" * 60_000, "The message has 60000 characters"),
    (b'{"delay_ms": 50}', "A message is text, not binary."),
    (b"\xff\x00", "A message is text, not binary."),
]


@pytest.mark.parametrize("part", range(4))
def test_what_is_refused_changes_nothing(server, session, part):
    before = session.engine.state()
    with live(server) as socket:
        for text, sentence in REFUSED[part::4]:
            found = answer(socket, text)
            assert sentence in found.get("refused", ""), (text, found)
            assert len(found["refused"]) < 300 and session.engine.state() == before, text
        assert answer(socket, '{"set": {"k": 9}}') == {"done": "set"}, "it is still open"


def test_a_message_that_is_too_long_to_read_ends_the_connection_alone(server, session):
    before = session.engine.state()
    with live(server) as socket, live(server) as other:
        socket.send('{"delay_ms": 50}' + " " * web.FRAME_BYTES)
        with pytest.raises(ConnectionClosed):
            until(socket, "refused")
        assert until(other, "sample") and session.engine.state() == before


def test_a_flood_is_refused_and_then_shut_out(server, session):
    with live(server) as socket, live(server) as other:
        for i in range(web.BURST + 20):
            socket.send(json.dumps({"delay_ms": 100 + i}))
        found = [until_answer(socket) for _ in range(web.BURST + 20)]
        refused = [one for one in found if "refused" in one]
        assert len(refused) >= 10 and refused[-1] == {"refused": "Too many messages; 10 a second are read."}
        assert session.engine.delay < 100 + web.BURST + 19, "the last of them was not done"
        with pytest.raises(ConnectionClosed):
            for _ in range(web.FLOOD + 50):
                socket.send("{}")
            while True:
                socket.recv(60)
        assert until(other, "sample") and answer(other, '{"delay_ms": 7}') == {"done": "delay_ms"}


def until_answer(socket):
    while True:
        found = json.loads(socket.recv(60))
        if "sample" not in found and "hello" not in found:
            return found


@pytest.mark.parametrize("end", ["A", "B"])
def test_settings_that_one_end_refuses_are_put_back_at_the_other(server, session, end):
    session.engine.stubborn, before = end, session.engine.state()
    with live(server) as socket:
        assert answer(socket, '{"set": {"k": 5, "n": 6, "nr": 6, "delta": 0}}') == {"refused": "A value is beyond what the link is built for."}
        assert session.engine.state() == before
        session.engine.stubborn = None
        assert answer(socket, '{"set": {"n": 12}}') == {"done": "set"}, "with the K of before"
    assert session.engine.settings["a"]["k"] == 10


def test_two_who_steer_at_once_leave_both_ends_alike(session):
    shown = view.View(LiveSource(session))
    texts = [json.dumps({"set": {"k": k, "n": k + 1, "nr": k + 2}}) for k in range(1, 9)]
    threads = [threading.Thread(target=lambda text=text: [shown.steer(text) for _ in range(50)]) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    order = session.engine.order
    assert [end for end, _ in order] == ["A", "B"] * 400 and all(one == other for (_, one), (_, other) in zip(order[::2], order[1::2]))
    assert session.engine.settings["a"] == session.engine.settings["b"]


# Who may come in ---------------------------------------------------------------------------------------------------------------


def test_the_page_and_its_files(server):
    status, text, headers = get(server)
    assert status == 200 and "<title>arqlink</title>" in text
    assert "default-src 'self'" in headers["content-security-policy"] and headers["cache-control"] == "no-store"
    for path in ("/page/dashboard.js", "/page/dashboard.css", "/shared/theme.js", "/vendor/uPlot.iife.min.js"):
        assert f'"{path[1:]}"' in text and get(server, path)[0] == 200


@pytest.mark.parametrize("path", ["/page/../web.py", "/page/%2e%2e/web.py", "/shared/..%2f__init__.py", "/page/", "/none", "//etc/passwd", "/page/%00"])
def test_nothing_else_is_served(server, path):
    assert get(server, path)[0] == 404


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "127.0.0.1:1", "localhost:1", "10.1.2.3", "", "[", "a b", "127.0.0.1@evil.example"])
def test_another_name_is_refused(server, host):
    """What a page of another site has, whose name has been bent to this address."""
    host = host if ":" in host or not host else f"{host}:{server.port}"
    assert get(server, Host=host)[0] in (400, 403)
    with pytest.raises(InvalidStatus) as refusal:
        raw_connect(server, host)
    assert refusal.value.response.status_code in (400, 403)


def raw_connect(server, host, origin=None):
    """A handshake with this Host; the client's own way has that of the address."""
    lines = ["GET /live HTTP/1.1", f"Host: {host}", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
    lines += ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", *([f"Origin: {origin}"] if origin else [])]
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as wire:
        wire.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        status = int(wire.recv(4096).split()[1])
    if status != 101:
        raise InvalidStatus(SimpleNamespace(status_code=status))  # type: ignore[arg-type]


def test_what_is_no_http_leaves_no_words_among_the_lines_of_the_link(server, caplog):
    """On standard error, which may be read as JSON."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as wire:
        wire.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
        assert wire.recv(4096).startswith(b"HTTP/1.1 400 ")
    assert get(server)[0] == 200 and not caplog.records


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
def test_own_names_are_welcome(server, host):
    host = f"{host}:{server.port}"
    assert get(server, Host=host)[0] == 200
    raw_connect(server, host)
    raw_connect(server, host, f"http://{host}")


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1", "http://127.0.0.1:{port}.evil.example", "file://"]
)
def test_pages_of_other_sites_are_refused(server, origin):
    origin = origin.format(port=server.port)
    assert get(server, Origin=origin)[0] == 403
    with pytest.raises(InvalidStatus) as refusal, live(server, origin=origin):
        pass
    assert refusal.value.response.status_code == 403 and b"Pages of other sites" in refusal.value.response.body


def test_elsewhere_it_asks_for_a_token(session):
    with serving(session, "0.0.0.0") as server:
        assert server.token and len(server.token) >= 20 and server.url.endswith(f"/?token={server.token}")
        assert get(server)[0] == get(server, "/?token=")[0] == get(server, f"/?token={server.token}x")[0] == get(server, "/?token=%C3%A9")[0] == 403
        assert get(server, f"/?token={server.token}")[0] == 200 and server.token not in get(server, f"/?token={server.token}")[1]
        assert get(server, f"/?token={server.token}", Host=f"evil.example:{server.port}")[0] == 403
        with live(server) as socket:
            assert until(socket, "sample")
        for wrong in ("", "?token=", f"?token={server.token[:-1]}"):
            with pytest.raises(InvalidStatus), connect(f"ws://127.0.0.1:{server.port}/live{wrong}"):
                pass


def test_tokens_differ(session):
    with serving(session, "0.0.0.0") as one, serving(session, "0.0.0.0") as other:
        assert one.token != other.token


def test_more_pages_than_there_may_be_are_refused(server):
    with ExitStack() as pages:
        for _ in range(web.PAGES):
            pages.enter_context(live(server))
        with pytest.raises(InvalidStatus) as refusal, live(server):
            pass
        assert refusal.value.response.status_code == 503
    time.sleep(0.5)
    with live(server) as socket:
        assert until(socket, "sample")


def test_a_page_that_does_not_read_holds_up_no_other(server):
    with live(server), live(server) as other:
        for _ in range(12):
            assert until(other, "sample")


def test_of_what_waits_for_a_slow_page_the_oldest_goes():
    async def waiting():
        page = web.Page(None, None)
        for i in range(1000):
            page.offer(str(i))
        return list(page.waiting)

    assert asyncio.run(waiting()) == [str(i) for i in range(992, 1000)]


def test_a_port_that_is_taken_is_one_sentence(server, arqlink):
    with pytest.raises(UserError, match=f"The dashboard cannot be at port {server.port} of '127.0.0.1': Address already in use."):
        web.listen("127.0.0.1", server.port)
    with pytest.raises(UserError, match="The dashboard cannot be at port 1 of 'nowhere.invalid'"):
        web.listen("nowhere.invalid", 1)
    code, _, error = arqlink("live", "--config", "paper8", "--web", server.port, "--", "true")
    assert code == 2 and "Address already in use" in error


def test_it_ends_with_its_pages_open(session):
    with ExitStack() as pages:
        with serving(session) as server:
            until(pages.enter_context(live(server)), "sample")
        server._thread.join(60)  # beside other work
        assert not server._thread.is_alive()
        with pytest.raises(OSError):
            get(server)
