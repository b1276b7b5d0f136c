# SPDX-License-Identifier: Apache-2.0
"""The dashboard's page in Chromium, with the Verilated link and TCP over it."""

import json
import os
import re
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from websockets.sync.client import connect

from arqlink.dashboard import view, web
from arqlink.live.session import Session
from arqlink.live.source import LiveSource
from arqlink.model import link_setup
from docs.tools import browser as browsers
from docs.tools import dashboard_pictures
from tests.needs import WITHOUT_RIGHTS

needs_namespaces = pytest.mark.needs("namespaces")


@pytest.fixture(scope="module")
def link():
    setup = link_setup.from_options(config="paper8", k=10, n=11, delay_ms=50.0, delta="3", loss="bernoulli:0.01")
    with Session(setup, f"w{os.getpid() % 100000}") as session, dashboard_pictures.traffic(session, "-b", "0.3M"):
        yield session


@pytest.fixture(scope="module")
def address(link):
    with dashboard_pictures.dashboard(link) as address:
        yield address


@pytest.fixture(scope="module")
def chromium(link):
    """After the link: Playwright's event loop stays in this thread, and the link's namespaces need one."""
    with browsers.chromium() as browser:
        yield browser


@pytest.fixture
def visit(chromium, address):
    """Opens the page; at the end it has complained of nothing, and asked nobody else."""
    opened = []

    @contextmanager
    def visit(*options, **more):
        with browsers.visit(chromium, address, *options, **more) as shown:
            opened.append(shown)
            shown.wait("dashboard.latest()?.ends !== undefined")
            yield shown

    yield visit
    for shown in opened:
        assert not shown.errors
        assert shown.requests and all(url.startswith(address) for url in shown.requests)


NAMELESS = """
[...document.querySelectorAll("input, button, canvas, svg")]
  .filter((one) => !one.labels?.length && !one.ariaLabel && !one.getAttribute("aria-labelledby") && !one.textContent.trim())
  .filter((one) => !one.closest("[aria-hidden]")).map((one) => one.outerHTML)
"""
"""What a screen reader has no name for."""


def active(link, end="b"):
    report = link.reports.engine.report()[end]
    return {name: report[name] for name in ("k", "n", "nr", "delta", "ord")}


def soon(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


def words(shown, selector):
    return shown.page.locator(selector).text_content() or ""


@needs_namespaces
@pytest.mark.timeout(180)
class TestPage:
    def test_numbers_change(self, visit):
        with visit() as shown:
            shown.page.wait_for_selector("#states .good")
            assert words(shown, "#connection") == "Connected"
            picture = words(shown, "#picture svg")
            assert all(block in picture for block in ("TAP a", "Segmenter", "Sender", "RS encoder", "Line", "Receiver", "RS decoder", "Resequencer", "TAP b"))
            selectors = ("#picture", "#states", "#model", "#fates-ab", ".charts figcaption >> nth=0")
            for selector, before in [(selector, words(shown, selector)) for selector in selectors]:
                soon(lambda selector=selector, before=before: words(shown, selector) != before)
            assert shown.value("document.querySelectorAll('.uplot').length") == 4

    def test_counters_are_those_of_the_report(self, visit, link):
        with visit() as shown:
            shown.page.locator("#all summary").click()
            shown.page.wait_for_selector("#counters tr:nth-child(60)")
            row = "#counters tr:has(th:text-is('tx_packets')) td >> nth=1"
            shown.page.wait_for_timeout(500)
            low, seen, high = link.reports.engine.report(), int(words(shown, row).replace(",", "")), link.reports.engine.report()
            assert low["a"]["counters"]["tx_packets"] - 100 <= seen <= high["a"]["counters"]["tx_packets"]

    def test_sliders_change_the_active_registers(self, visit, link):
        with visit() as shown:
            for name, keys, values in (
                ("k", ["Home"], {"k": 1}),
                ("k", ["End"], {"k": 10}),
                ("n", ["End"], {"n": 18}),
                ("nr", ["End", "ArrowLeft", "ArrowLeft"], {"nr": 16}),
                ("delta", ["Home", "ArrowRight"], {"delta": 1}),
            ):
                slider = shown.page.locator(f"#{name}-slider")
                slider.focus()
                for key in keys:
                    slider.press(key)
                for end in "ab":
                    soon(lambda end=end, values=values: active(link, end) | values == active(link, end))
            found = active(link)
            assert found["n"] == 18 and found["k"] == 10 and found["ord"] == 1

    def test_infinite_persistency_and_ord(self, visit, link):
        with visit() as shown:
            shown.page.locator("#ord").uncheck()
            shown.page.locator("#infinite").check()
            soon(lambda: active(link)["delta"] == 15 and active(link)["ord"] == 0)
            shown.page.locator("#ord").check()
            shown.page.locator("#infinite").uncheck()
            soon(lambda: active(link)["delta"] == 3 and active(link)["ord"] == 1)

    def test_what_others_change_is_shown(self, visit, link):
        with visit() as shown:
            for end in "AB":
                link.engine.set(end, k=7, n=9, nr=9, delta=2, ord=1)
            shown.wait(
                "document.getElementById('k').value === '7' && document.getElementById('n').value === '9' && document.getElementById('delta').value === '2'", 10
            )

    def test_loss_is_seen_and_measured_beside_the_model(self, visit, link):
        with visit() as shown:
            shown.page.fill("#loss", "20")
            shown.wait("dashboard.latest().loss === 'bernoulli:0.2'")
            shown.wait("dashboard.latest().directions.ab.measured.transmissions > 150", 60)
            way = shown.value("dashboard.latest().directions.ab")
            assert abs(way["measured"]["p_t"] - way["model"]["p_t"]) < 0.2 and way["model"]["p_t"] > 0.05
            assert shown.value("dashboard.latest().directions.ba.model.p_t") == 0
            shown.page.fill("#loss-model", "ge:0.001,0.1,0,1")
            shown.page.press("#loss-model", "Tab")
            shown.wait("dashboard.latest().loss === 'ge:0.001,0.1,0,1'")
            shown.page.fill("#loss", "1")
            shown.wait("dashboard.latest().loss === 'bernoulli:0.01'")

    def test_delay_changes(self, visit):
        with visit() as shown:
            shown.page.fill("#delay", "80")
            shown.wait("dashboard.latest().delay_ms === 80")
            assert "80 ms" in words(shown, "#picture")
            shown.page.fill("#delay", "50")
            shown.wait("dashboard.latest().delay_ms === 50")

    def test_a_refusal_is_shown_and_what_is_active_again(self, visit, link):
        before = active(link)
        with visit() as shown:
            shown.page.fill("#loss-model", "rain")
            shown.page.press("#loss-model", "Tab")
            shown.wait("document.getElementById('refused').textContent.includes(\"'rain' is not understood\")")
            shown.wait("document.getElementById('loss-model').value.startsWith('bernoulli')")
        assert active(link) == before

    def test_a_slider_right_after_a_refusal_goes_by_what_is_active(self, visit, link):
        before = active(link)
        with visit() as shown:
            shown.value(
                "(([slider]) => { controls.refused(); slider.value = 13; slider.dispatchEvent(new Event('input')); })(document.querySelectorAll('#n-slider'))"
            )
            soon(lambda: active(link) == before | {"n": 13})
            assert shown.page.input_value("#k") == str(before["k"]) and not words(shown, "#refused")

    def test_a_restart_is_seen_as_events(self, visit):
        with visit() as shown:
            shown.page.get_by_role("button", name="Restart end A").click()
            shown.page.wait_for_selector("#alarms li:has-text('end B'):has-text('peer_restart')", timeout=60_000)
            shown.wait("dashboard.latest().ends.a.state === 'up' && dashboard.latest().ends.b.state === 'up'")

    def test_dark_and_light(self, visit):
        background = "getComputedStyle(document.body).backgroundColor"
        with visit() as light, visit(dark=True) as dark:
            one, other = light.value(background), dark.value(background)
            assert one != other
            light.page.get_by_role("button", name="Dark colours").click()
            assert light.value(background) == other
            light.page.wait_for_timeout(600)

    def test_a_phone_needs_no_scrolling_sideways(self, visit):
        with visit(browsers.PHONE) as shown:
            shown.page.locator("#all summary").click()
            shown.page.wait_for_timeout(600)
            assert shown.value("document.documentElement.scrollWidth <= 360")
            assert shown.value("document.querySelector('#picture svg').getBoundingClientRect().height > 250"), "blocks are three in a row"
            shown.page.set_viewport_size({"width": 1150, "height": 900})
            shown.page.wait_for_timeout(600)
            assert shown.value("document.querySelector('.chart .uplot').clientWidth > 250 && document.documentElement.scrollWidth <= 1150")

    def test_all_can_be_reached_by_keyboard_and_has_a_name(self, visit):
        with visit() as shown:
            reached = set()
            shown.page.keyboard.press("Tab")
            for _ in range(60):
                reached.add(shown.value("document.activeElement.id || document.activeElement.textContent"))
                shown.page.keyboard.press("Tab")
            names = {"theme", "k", "k-slider", "n-slider", "nr-slider", "delta", "delta-slider", "infinite", "ord", "loss", "loss-slider", "loss-model"}
            assert names | {"feedback_loss-slider", "delay-slider", "Restart end A", "Restart end B"} <= reached
            assert shown.value(NAMELESS) == []
            assert shown.value("document.querySelector('#picture desc').textContent.includes('Sender: window')")


@needs_namespaces
@pytest.mark.timeout(120)
def test_a_lost_connection_is_shown_and_comes_back(chromium, link):
    listener = web.listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    with web.Server(view.View(LiveSource(link)), listener) as server:
        visit = browsers.visit(chromium, server.url)
        shown = visit.__enter__()
        shown.wait("dashboard.latest()?.ends !== undefined")
    shown.wait("document.getElementById('connection').textContent.startsWith('The connection is lost')")
    assert shown.value("document.getElementById('main').classList.contains('stale')")
    with web.Server(view.View(LiveSource(link)), web.listen("127.0.0.1", port)):
        shown.wait("document.getElementById('connection').textContent === 'Connected'")
        assert not shown.value("document.getElementById('main').classList.contains('stale')")
    visit.__exit__(None, None, None)


COMMAND = [sys.executable, "-m", "arqlink", "live", "--config", "paper8", "--k", "10", "--n", "11", "--delay-ms", "20", "--quiet", "--web", "0"]


def address_of(command):
    """What a command that has begun prints of its dashboard."""
    for line in command.stderr:
        if line.startswith("Dashboard: "):
            return line.split()[1]
    raise AssertionError("it has ended")


@needs_namespaces
@pytest.mark.timeout(120)
@pytest.mark.parametrize("rights", [pytest.param([], id="root"), pytest.param(WITHOUT_RIGHTS, id="user namespace", marks=pytest.mark.needs("user-namespaces"))])
def test_the_command_shows_it_in_the_namespace_of_the_host(rights):
    """Where it begins anew in namespaces of its own, it is still reached from here."""
    command = subprocess.Popen([*rights, *COMMAND, "--name", f"c{os.getpid() % 100000}", "--", "sleep", "60"], stderr=subprocess.PIPE, text=True)
    try:
        address = address_of(command)
        with connect(address.replace("http:", "ws:") + "live") as page:
            assert json.loads(page.recv(60))["hello"]["config"] == "paper8"
            page.send('{"set": {"k": 4, "n": 6, "nr": 7, "delta": "inf"}}')
            end = time.monotonic() + 60
            while (found := json.loads(page.recv(60))) and found.get("sample", {}).get("ends", {}).get("b", {}).get("nr") != 7:
                assert "refused" not in found and time.monotonic() < end
    finally:
        command.terminate()
        assert command.wait(60) == 128 + 15
        assert command.stderr
        command.stderr.close()


@needs_namespaces
@pytest.mark.timeout(120)
def test_elsewhere_the_command_prints_a_token():
    command = subprocess.Popen(
        [*COMMAND, "--web-host", "0.0.0.0", "--name", f"e{os.getpid() % 100000}", "--", "sleep", "60"], stderr=subprocess.PIPE, text=True
    )
    try:
        assert re.fullmatch(r"http://\S+:\d+/\?token=[\w-]{20,}", address_of(command))
    finally:
        command.terminate()
        command.communicate(timeout=60)
