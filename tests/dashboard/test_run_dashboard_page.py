# SPDX-License-Identifier: Apache-2.0
"""The dashboard's page in Chromium, of runs of `arqlink stats --web` and `arqlink send --web`."""

import json
import sys
from contextlib import contextmanager

import pytest

from arqlink.run import pair_simulator
from arqlink.run.run_source import LOCKED
from docs.tools import browser as browsers
from tests import seeds
from tests.dashboard.test_dashboard_page import NAMELESS, address_of, soon, words
from tests.dashboard.test_run_dashboard import minds_interrupts

CONFIG = "montecarlo"
LINK = ["--config", CONFIG, "--k", "10", "--n", "11", "--delta", "1", "--loss", "bernoulli:0.04", "--delay-ms", "5", "--json", "--web", "0"]
FRAMES = 40_000
"""Some ten seconds."""
LONG = "1e8"
"""A run that ends when its test does."""
SENT_FRAMES = 12_000
"""Some ten seconds too: packets of a user take longer."""
FRAME_BYTES = 240
CHANGING = ("#picture", "#states", "#model", "#fates-ab", ".charts figcaption >> nth=0")


@pytest.fixture(scope="module")
def chromium():
    pair_simulator.simulator(CONFIG)
    with browsers.chromium() as browser:
        yield browser


@contextmanager
def showing(chromium, *command, **options):
    """(page, process) of a command, once the page has heard of its run. At the end the page has complained of nothing, and asked nobody else."""
    process = minds_interrupts([sys.executable, "-m", "arqlink", *command, *LINK])
    try:
        address = address_of(process)
        with browsers.visit(chromium, address, **options) as shown:
            shown.wait("dashboard.latest()?.ends !== undefined")
            yield shown, process
            assert not shown.errors
            assert shown.requests and all(url.startswith(address) for url in shown.requests)
    finally:
        process.terminate()
        process.communicate(timeout=60)


def check_running(shown, title):
    """Numbers change, and nothing can be changed."""
    assert words(shown, "#connection") == "Connected" and words(shown, "h1") == title == shown.page.title()
    before = {selector: words(shown, selector) for selector in CHANGING}
    for selector, was in before.items():
        soon(lambda selector=selector, was=was: words(shown, selector) != was)
    assert words(shown, "#steering") == LOCKED
    assert shown.value("document.querySelectorAll('#controls :is(input, button)').length") > 15
    assert shown.value("[...document.querySelectorAll('#controls :is(input, button)')].every((one) => one.matches(':disabled'))")
    active = shown.value("['k', 'n', 'nr', 'delta', 'loss', 'delay'].map((name) => document.getElementById(name).value)")
    assert active == ["10", "11", "11", "1", "4", "5"]


def check_ended(shown, process):
    """The command ends soon, and the page keeps the last state; its report."""
    shown.wait("document.getElementById('connection').textContent === 'The run has ended.'", 120)
    report = json.loads(process.communicate(timeout=60)[0])
    shown.page.wait_for_timeout(1000)
    assert words(shown, "#connection") == "The run has ended." and not shown.value("document.querySelector('.stale, .lost')")
    last = shown.value("dashboard.latest()")
    assert {end: one["counters"] for end, one in last["ends"].items()} == report["counters"]
    progress = last["progress"]
    assert progress["done"] == progress["total"] and f"{progress['total']:,} of {progress['total']:,}, 100 %" in words(shown, "#states")
    measured = last["directions"]["ab"]["measured"]
    for name in ("p_t", "p_f", "alpha"):
        assert measured[name] == pytest.approx(report[name]["measured"]) and last["directions"]["ab"]["model"][name] == pytest.approx(report[name]["model"])
    return report


@pytest.mark.timeout(240)
def test_stats(chromium):
    with showing(chromium, "stats", "--frames", str(FRAMES)) as (shown, process):
        check_running(shown, "arqlink stats")
        assert f"{FRAMES} frames: configuration {CONFIG}" in words(shown, "#about")
        assert "clocks/s" in words(shown, "#states") and "link_up" in words(shown, "#alarms")
        losses = shown.value("past.all().map((sample) => sample.directions.ab.loss)")
        assert 0.03 < sum(losses) / len(losses) < 0.05
        check_ended(shown, process)


@pytest.mark.full
@pytest.mark.timeout(240)
def test_send(chromium, tmp_path):
    (tmp_path / "in").write_bytes(seeds.rng("input").randbytes(FRAME_BYTES * SENT_FRAMES))
    with showing(chromium, "send", str(tmp_path / "in"), str(tmp_path / "out")) as (shown, process):
        check_running(shown, "arqlink send")
        waiting = [shown.value("dashboard.latest().directions.ab.backlog")]
        shown.page.wait_for_timeout(1000)
        waiting.append(shown.value("dashboard.latest().directions.ab.backlog"))
        assert waiting[0] > waiting[1] > 0
        report = check_ended(shown, process)
    assert (tmp_path / "out").stat().st_size == report["delivered_bytes"] > 0


@pytest.mark.timeout(120)
def test_what_a_page_sends_is_refused_and_shown(chromium):
    with showing(chromium, "stats", "--frames", LONG) as (shown, _):
        shown.value("connection.send('set', { k: 5 })")
        shown.wait(f"document.getElementById('refused').textContent === '{LOCKED}'", 10)
        shown.page.wait_for_timeout(500)
        assert shown.value("dashboard.latest().ends.a.k") == 10 and shown.value("document.getElementById('k').value") == "10"


@pytest.mark.timeout(120)
def test_a_run_that_is_interrupted_says_so(chromium):
    with showing(chromium, "stats", "--frames", LONG) as (shown, process):
        process.send_signal(2)
        shown.wait("document.getElementById('connection').textContent === 'The run has ended before its time. It was interrupted.'", 10)
        assert process.wait(60) == 130


@pytest.mark.full
@pytest.mark.timeout(120)
def test_a_phone_and_a_screen_reader(chromium):
    with showing(chromium, "stats", "--frames", LONG, size=browsers.PHONE) as (shown, _):
        shown.page.locator("#all summary").click()
        shown.page.wait_for_timeout(600)
        assert shown.value("document.documentElement.scrollWidth <= 360")
        assert shown.value(NAMELESS) == []
        picture = words(shown, "#picture svg")
        assert "User A" in picture and "User B" in picture and "TAP" not in picture
