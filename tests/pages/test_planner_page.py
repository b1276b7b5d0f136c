# SPDX-License-Identifier: Apache-2.0
"""The planner page: its equations against those of arqlink.model, its choice against that of `arqlink plan`, and the page in a browser."""

import json
import math
import re
import shlex
from dataclasses import dataclass
from typing import Any

import pytest

from arqlink.errors import UserError
from arqlink.model import planner
from arqlink.model.analytic import Code, LinkModel, mean_last_worst, mean_most_retransmissions
from arqlink.model.loss import Bernoulli, GilbertElliott
from arqlink.model.tcp import TcpOverLink
from arqlink.pages import build, chart_library
from docs.tools import browser as browsers
from tests import seeds

CLOSE = 1e-6
"""Relative difference of numbers that are the same."""
POINTS, CHOICES = 200, 24
FASTEST = 50
"""Milliseconds that a redraw may take."""
READY = "planner.shown.isDone"
NUMBERS = "p_t alpha loss most utilization goodput round_trip delay worst through".split()


@dataclass
class Setup:
    """What arqlink.model.planner asks of a LinkSetup: with any limits, and with times that are not rounded to clocks."""

    link: dict
    k: int
    n: int
    nr: int
    delta: float
    config: str = "any"

    @property
    def mix(self):
        return {int(length): count for length, count in self.link.get("mix", {}).items()}

    @property
    def limits(self):
        return {"max_parity": self.link["parity"], "max_k": 32, "window_frames": self.link["window"]}

    @property
    def packet_bytes(self):
        return self.link["packetBytes"]

    @property
    def unit_bytes(self):
        return self.link["unitBytes"]

    @property
    def code(self):
        return Code(self.k, self.n, self.nr, self.delta)

    @property
    def loss(self):
        p, burst = self.link["p"], self.link["burst"]
        return Bernoulli(p) if burst <= 1 / (1 - p) else GilbertElliott(p / (1 - p) / burst, 1 / burst, 0.0, 1.0)

    def model(self):
        packets = self.mix or self.packet_bytes
        return LinkModel(self.code, self.loss, packets, self.unit_bytes, unit_time=8 * self.unit_bytes / self.link["rate"], delay=self.link["delay"])


def logarithmic(rng, low, high):
    return low * (high / low) ** rng.random()


def random_link(rng, tcp=True):
    """A link as the page has it, anywhere within the bounds of its sliders."""
    return {
        "p": logarithmic(rng, 1e-5, 0.3),
        "burst": rng.choice([1, rng.uniform(1, 3), rng.uniform(1, 50)]),
        "delay": logarithmic(rng, 1e-4, 1.5),
        "rate": logarithmic(rng, 64e3, 10e9),
        "connections": rng.randint(1, 100) if tcp else 0,
        "rest": rng.uniform(0, 1),
        "packetBytes": rng.randint(64, 9000),
        "unitBytes": rng.randint(16, 512),
        "parity": rng.randint(1, 16),
        "window": 1 << rng.randint(5, 18),
    }


def random_mix(rng):
    """Packets of three lengths, as the page writes them; a length may come twice."""
    return {str(rng.randint(20, 3000)): rng.randint(1, 9) for _ in range(3)}


def random_point(rng):
    """(link, choice) whose frames get through."""
    while True:
        link = random_link(rng)
        k = min(rng.randint(1, 32), -(-link["packetBytes"] // link["unitBytes"]))
        n, delta = k + rng.randint(0, link["parity"]), rng.choice([0, 1, 2, 3, 5, rng.randint(0, 14), math.inf])
        nr = rng.choice([n, min(n + rng.randint(0, 4), k + link["parity"])])
        if Setup(link, k, n, nr, delta).model().mean_transmissions <= planner.MOST_TRANSMISSIONS:
            return link, {"k": k, "n": n, "nr": nr, "delta": delta}


def by_python(link, choice):
    """NUMBERS of a choice by arqlink.model."""
    plan = planner.Plan(Setup(link, **choice), link["connections"], 1e3 * link["rest"])
    tcp = TcpOverLink(plan.model, link["connections"], link["rest"])
    operation, attempts, frames = tcp.operation(), plan.model.attempts(), round(plan.model.frames_per_packet)
    return {
        "p_t": attempts.p_first,
        "alpha": plan.model.alpha,
        "loss": plan.packet_loss,
        "most": plan.most,
        "utilization": plan.utilization,
        "goodput": operation.goodput,
        "round_trip": operation.round_trip,
        "delay": operation.round_trip - link["rest"] - link["delay"],
        "worst": mean_last_worst(attempts, frames),
        "through": mean_most_retransmissions(attempts, frames),
    }


BY_PAGE = """([link, choice]) => {
    const plan = new model.Plan(link, choice), { operation, full } = plan;
    return { p_t: full.first, alpha: plan.alpha, loss: plan.loss, most: plan.most, utilization: plan.utilization, goodput: operation.goodput,
        round_trip: operation.roundTrip, delay: plan.delay, worst: full.meanLastWorst(plan.framesPerPacket), through: full.meanMost(plan.framesPerPacket) };
}"""
CHOICE = """([link, k, goal]) => {
    const job = model.choose(link, k, goal);
    let step;
    do step = job.next(); while (!step.done);
    const best = step.value;
    return best && { k: best.k, n: best.n, nr: best.nr, delta: best.delta, numbers: [best.alpha, best.loss, best.most, ...best.resequenced(2000)] };
}"""


def is_close(one, other):
    return one == other or abs(one - other) <= CLOSE * abs(other) + 1e-290


def differing(visit, points):
    """(point, name, page's, Python's) of the numbers that differ."""
    found = []
    for number, (link, choice) in enumerate(points):
        page, python = visit.value(BY_PAGE, [link, choice]), by_python(link, choice)
        found += [(number, name, page[name], python[name]) for name in NUMBERS if not is_close(page[name], python[name])]
    return found


@pytest.fixture(scope="module")
def chromium():
    with browsers.chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "planner.html"
    path.write_text(build.page("planner"))
    return path


@pytest.fixture
def visit(chromium, file):
    with browsers.visit(chromium, file) as visit:
        visit.wait(READY)
        yield visit
        assert (visit.errors, visit.requests) == ([], [])


@pytest.fixture(scope="module")
def points():
    rng = seeds.rng("points")
    return [random_point(rng) for _ in range(POINTS)]


# Numbers --------------------------------------------------------------------------------------------------------------


def test_its_numbers_are_those_of_the_model(visit, points):
    assert len(points) == POINTS and len({choice["delta"] for _, choice in points}) > 10
    assert sum(link["burst"] > 1 / (1 - link["p"]) for link, _ in points) > POINTS / 4
    assert differing(visit, points) == []


WRONG = {
    "eq. 1": ("(1 + 32 * loss ** 2)", "(1 + 30 * loss ** 2)"),
    "eq. 4": ("ways * p ** i *", "ways * p ** (i + 1) *"),
    "eq. 5": ("first * again ** delta; // P_F", "first * again ** (delta + 1); // P_F"),
    "Proposition 1": ("(1 + load)", "(1 + load / 2)"),
    "appendix A": ("X * (X + 1)", "X * X"),
    "errata 4": ("/ (delta + 1))", "/ (delta + 2))"),
    "bursts": ("p / (1 - p) / burst", "p / burst"),
}


@pytest.mark.parametrize("right, wrong", WRONG.values(), ids=WRONG)
def test_a_wrong_equation_is_seen(chromium, file, tmp_path, points, right, wrong):
    text = file.read_text()
    assert text.count(right) == 1
    (tmp_path / "wrong.html").write_text(text.replace(right, wrong))
    with browsers.visit(chromium, tmp_path / "wrong.html") as visit:
        assert differing(visit, points[:60])


def test_it_marks_what_plan_chooses(visit):
    """N, N of retransmissions and persistency; and the delays of the line always busy."""
    rng, reached = seeds.rng("choices"), 0
    for number in range(CHOICES):
        link = random_link(rng, tcp=number % 3 > 0)
        link["packetBytes"], link["p"] = rng.randint(64, 3000), logarithmic(rng, 1e-4, 0.1)
        if not number % 6:
            link["mix"] = random_mix(rng)
            link["packetBytes"] = max(map(int, link["mix"]))
        k = min(rng.randint(2, 32), -(-link["packetBytes"] // link["unitBytes"]))
        goal = [planner.Goal(), planner.Goal(loss=logarithmic(rng, 1e-9, 1e-2)), planner.Goal(delay_ms=1e3 * link["delay"] * rng.uniform(1.2, 8))][
            rng.randrange(3)
        ]
        limit = {"loss": goal.loss} if goal.loss else {"delay": goal.delay_ms / 1e3} if goal.delay_ms else {}
        page = visit.value(CHOICE, [link, k, limit])
        setup: Any = Setup(link, k, k, k, math.inf)
        try:
            best = planner.choose(planner.plans(setup, goal, link["connections"], 1e3 * link["rest"], k))
        except UserError:
            assert page is None, (number, link, k, goal)
            continue
        reached += 1
        chosen = {name: getattr(best.setup, name) for name in ("k", "n", "nr", "delta")}
        assert {name: page[name] for name in chosen} == chosen, (number, link, goal)
        numbers = [best.model.alpha, best.packet_loss, best.most, *(ms / 1e3 for ms in best.delays_ms())]
        assert page["numbers"] == pytest.approx(numbers, rel=CLOSE), (number, link, chosen)
    assert reached > CHOICES / 2


BEHIND = {"p": 0.0039325, "burst": 1.94556, "delay": 0.23551, "rate": 27.119e6, "connections": 41, "rest": 0.97946, "packetBytes": 2482, "unitBytes": 411}
BEHIND |= {"parity": 15, "window": 32}
"""The best plan for a loss of 2.178e-6 lies behind others that have more goodput and lose too much."""


def test_plans_that_miss_the_goal_do_not_end_the_search(visit):
    page = visit.value(CHOICE, [BEHIND, 7, {"loss": 2.178e-6}])
    setup: Any = Setup(BEHIND, 7, 7, 7, math.inf)
    best = planner.choose(planner.plans(setup, planner.Goal(loss=2.178e-6), BEHIND["connections"], 1e3 * BEHIND["rest"], 7))
    assert (page["n"], page["nr"], page["delta"]) == (best.setup.n, best.setup.nr, best.setup.delta) == (20, 20, 0)


# The page -------------------------------------------------------------------------------------------------------------


def settle(visit):
    visit.page.wait_for_timeout(20)
    visit.wait(READY)


def best(visit):
    return visit.page.inner_text("#best")


def test_it_has_the_example_of_the_paper(visit):
    assert "N = 11, δ = 1: U = 0.904 (1.81 Mb/s)" in best(visit)
    assert visit.value("planner.shown.plots.map((plot) => plot.ctx.canvas.width > 100)") == [True] * 3
    assert visit.page.get_attribute("#chart-u", "aria-label").startswith(
        "U: goodput by line rate, over N, a curve for each δ. Best choice: N = 11, δ = 1, 0.904."
    )


def test_its_command_lines_are_understood(visit, arqlink):
    """`arqlink plan` as the page has it chooses what the page does."""
    visit.open("#p=0.03&burst=4&d=30&packet=1000&connections=3&goal=loss&loss=1e-7")
    settle(visit)
    plan, tcp = (shlex.split(line) for line in visit.page.locator("#commands code").all_inner_texts())
    code, out, _ = arqlink(*plan[1:], "--json")
    chosen = json.loads(out)["best"]
    assert code == 0 and f"N = {chosen['n']}" in best(visit) and f"δ = {chosen['delta']}".replace("inf", "∞") in best(visit)
    assert tcp[:4] == ["arqlink", "tcp", "--config", "paper"] and tcp[tcp.index("--nr") + 1] == str(chosen["nr"])
    visit.open("#unit=33")
    settle(visit)
    assert "no configuration has these units" in visit.page.inner_text("#commands")


def test_packets_of_the_internet(visit, arqlink):
    """Datagrams of several lengths: the page chooses what `arqlink plan --packet-bytes imix` does. TCP's have one length."""
    visit.open("#mode=datagrams&lengths=imix&k=16&unit=64&parity=8&window=1024&d=30&p=0.02")
    settle(visit)
    assert not visit.page.is_visible("#packet") and visit.page.is_checked("input[value=imix]")
    (line,) = visit.page.locator("#commands code").all_inner_texts()
    assert "--packet-bytes imix" in line
    code, out, _ = arqlink(*shlex.split(line)[1:], "--json")
    chosen = json.loads(out)["best"]
    found = visit.value("({ ...planner.shown.best, u: planner.shown.best.utilization })")
    assert code == 0 and {name: found[name] for name in ("k", "n", "nr", "delta")} == {name: chosen[name] for name in ("k", "n", "nr", "delta")}
    assert found["u"] == pytest.approx(chosen["utilization"], rel=1e-3)
    visit.page.check("input[value=one]")
    settle(visit)
    assert visit.page.is_visible("#packet") and visit.value("planner.shown.best.utilization") > 1.05 * found["u"]
    visit.page.check("input[value=imix]")
    visit.page.check("input[value=tcp]")
    settle(visit)
    assert visit.page.is_visible("#packet") and not visit.page.is_visible("input[value=imix]")
    assert visit.value("planner.shown.link.packetBytes") == 1500


def test_a_goal_of_hardly_any_loss(visit):
    """More persistency saves parity, though fewer packets are lost than TCP would notice: the best is none that is drawn below another."""
    visit.open("#mode=datagrams&goal=loss&loss=1e-10&p=0.0164&burst=3.3&d=20")
    settle(visit)
    assert "N = 10, δ = " in best(visit)
    found = visit.value("[planner.shown.best.utilization, ...planner.shown.rows.filter((row) => row.plan?.loss <= 1e-10).map((row) => row.plan.utilization)]")
    assert found[0] > max(found[1:]) * 0.999


SLIDERS = {"p": 40, "burst": 20, "d": -100, "c": -60, "connections": 19, "rest": 600, "packet": 900, "k": -7, "unit": 90, "window": -5}
"""Steps by which each is moved."""


def test_each_slider_changes_numbers_and_mark(visit):
    for slider, steps in SLIDERS.items():
        visit.open("#connections=1&c=500&window=262144&p=0.02")
        settle(visit)
        before = best(visit), visit.value("JSON.stringify(planner.shown.plots.map((plot) => plot.data))")
        visit.value(
            "([id, by]) => { const one = document.getElementById(id); one.value = Number(one.value) + by; one.dispatchEvent(new Event('input')); }",
            [f"{slider}-slider", steps],
        )
        settle(visit)
        after = best(visit), visit.value("JSON.stringify(planner.shown.plots.map((plot) => plot.data))")
        assert before[0] != after[0] and before[1] != after[1], slider
        assert f"{slider}=" in visit.value("location.hash")


def test_the_address_restores_the_state(visit):
    visit.page.fill("#p", "0.0321")
    visit.page.check("input[value=datagrams]")
    visit.page.check("input[value=delta]")
    settle(visit)
    fragment, words = visit.value("location.hash"), best(visit)
    assert fragment == "#p=0.0321&mode=datagrams&axis=delta"
    visit.open(fragment)
    settle(visit)
    assert best(visit) == words and visit.page.input_value("#p") == "0.0321" and not visit.page.is_visible("#connections")
    visit.value("location.hash = '#d=20'")
    settle(visit)
    assert visit.page.input_value("#d") == "20" and visit.page.input_value("#p") == "0.01"


@pytest.mark.parametrize("fragment", ["#p=2", "#p=x&k=1.5&window=100&mode=none&axis=&goal=7", "#<b>&p", "#p=NaN&d=-1&c=Infinity", "#__proto__=1&unit=0x20"])
def test_an_address_with_nonsense_is_the_usual_state(visit, fragment):
    words = best(visit)
    visit.open(fragment)
    settle(visit)
    assert best(visit) == words


BAD = {
    "p": ["", "abc", "0", "0.31", "-0.01", "1,5", "NaN", "0x1"],
    "k": ["1.5", "33", "1e1000"],
    "window": ["100", "16"],
    "connections": ["0", "101"],
    "d": ["1501", "∞"],
}


@pytest.mark.parametrize("name", BAD)
def test_bad_text_is_refused_with_a_hint(visit, name):
    usual, words, hash_ = visit.page.input_value(f"#{name}"), best(visit), visit.value("location.hash")
    for text in BAD[name]:
        visit.page.fill(f"#{name}", text)
        settle(visit)
        hint = visit.page.inner_text(f"#{name}-hint")
        assert "This must be" in hint and re.search(r"from \S+ to \S+", hint), text
        assert visit.page.get_attribute(f"#{name}", "aria-invalid") == "true"
        assert best(visit) == words and visit.value("location.hash") == hash_, text
    visit.page.press(f"#{name}", "Escape")
    assert visit.page.input_value(f"#{name}") == usual and not visit.page.inner_text(f"#{name}-hint")


def test_the_least_and_the_most_of_each_slider(visit):
    """Nothing is endless, nothing is not a number, and no script fails at the corners."""
    names = visit.value("[...document.querySelectorAll('input[type=range]')].map((one) => one.id)")
    assert len(names) == 13
    for mode in ("", "&mode=datagrams"):
        for name in names:
            for end in ("min", "max"):
                visit.open(f"#{mode}")
                settle(visit)
                visit.value(
                    "([id, end]) => { const one = document.getElementById(id); one.value = one[end]; one.dispatchEvent(new Event('input')); }", [name, end]
                )
                settle(visit)
                assert "NaN" not in visit.page.inner_text("main") and "undefined" not in visit.page.inner_text("main"), (name, end)


def test_colours(chromium, file):
    background = "getComputedStyle(document.body).backgroundColor"
    with browsers.visit(chromium, file) as light, browsers.visit(chromium, file, dark=True) as dark:
        bright, night = light.value(background), dark.value(background)
        assert bright != night
        light.page.click("#theme")
        assert light.value(background) == night
        light.open()
        assert light.value(background) == night, "the choice is kept"


LUMINANCE = """(names) => names.map((name) => {
    const context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
    context.fillStyle = theme.colour(name);
    context.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
})"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_contrast(chromium, file, dark):
    """Of WCAG 2.2, level AA: 4.5 for text, 3 for lines."""
    with browsers.visit(chromium, file, dark=dark) as visit:
        for names, least in ((["text", "quiet", "accent", "wrong"], 4.5), ([f"curve-{i}" for i in range(6)], 3)):
            for ground in ("card", "page"):
                (base, *others) = visit.value(LUMINANCE, [ground, *names])
                ratios = [(max(base, one) + 0.05) / (min(base, one) + 0.05) for one in others]
                assert min(ratios) >= least, (ground, dict(zip(names, ratios)))


@pytest.mark.parametrize("fragment", ["", "#axis=delta&mode=datagrams", "#goal=loss&k=32&unit=33"])
def test_a_phone_has_nothing_beyond_its_edge(chromium, file, fragment):
    with browsers.visit(chromium, file, browsers.PHONE) as visit:
        visit.open(fragment)
        settle(visit)
        visit.page.click("summary")
        assert visit.value("document.documentElement.scrollWidth") == browsers.PHONE[0]
        assert visit.value("planner.shown.plots[0].width") > 200


def test_keys_alone(visit):
    """Tab reaches all controls in their order, arrows move sliders and radio buttons, Enter and space press buttons."""
    reached = []
    for _ in range(80):
        visit.page.keyboard.press("Tab")
        reached.append(visit.value("document.activeElement.id || document.activeElement.name || document.activeElement.textContent.trim()"))
        if reached[-1] == "Table of the values":
            break
    for name in ("theme", "p", "p-slider", "mode", "goal", "window-slider", "Copy address", "axis", "δ = ∞", "Table of the values"):
        assert name in reached, name
    assert reached.index("p") + 1 == reached.index("p-slider") and "bound" not in reached
    visit.page.keyboard.press("Enter")
    assert visit.page.is_visible("#csv")
    visit.page.focus("#p-slider")
    visit.page.keyboard.press("ArrowRight")
    settle(visit)
    assert visit.value("planner.state.p") > 0.01
    visit.page.focus("input[value=n]")
    visit.page.keyboard.press("ArrowDown")
    settle(visit)
    assert visit.value("planner.state.axis") == "delta" and "N = 10" in visit.page.inner_text("#keys")
    visit.page.focus("#keys button")
    visit.page.keyboard.press("Space")
    assert visit.value("planner.shown.plots.map((plot) => plot.series[1].show)") == [False] * 3


def test_all_controls_have_names(visit):
    nameless = "[...document.querySelectorAll('input, select, button')].filter((one) => !(one.labels?.length || one.ariaLabel || one.textContent.trim()))"
    assert visit.value(f"{nameless}.length") == 0
    assert visit.value("document.documentElement.lang") == "en"


def test_the_table_and_its_csv(visit):
    visit.page.click("summary")
    rows = visit.page.locator("#values tbody tr").all_inner_texts()
    lines = visit.value("planner.csv()").splitlines()
    assert lines[0] == "K,N,δ,U,packet loss,delay ms" and len(lines) == len(rows) + 1 == 6 * 9 + 1
    link = visit.value("planner.shown.link")
    k, n, delta, *values = lines[11].split(",")
    expected = by_python(link, {"k": int(k), "n": int(n), "nr": int(n), "delta": int(delta)})
    assert [float(value) for value in values] == pytest.approx([expected["utilization"], expected["loss"], 1e3 * expected["delay"]], rel=CLOSE)


def test_redraws_are_quick(visit):
    times = []
    for p in range(1, 21):
        visit.page.fill("#p", f"{p / 100}")
        times.append(visit.value("planner.shown.drawn"))
    assert sorted(times)[len(times) // 2] < FASTEST, times


# The file -------------------------------------------------------------------------------------------------------------


def test_the_command_writes_the_same_file_each_time(file, tmp_path, arqlink):
    path = tmp_path / "new" / "planner.html"
    assert arqlink("planner", path) == (0, "", "")
    assert path.read_bytes() == file.read_bytes()


def test_everything_is_inside(file):
    text = file.read_text()
    assert len(text) < 200_000 and "@VERSION@" not in text
    assert not re.search(r"<(script|link|img|iframe)[^>]*(src|href)=[\"'](?!data:)", text) and not re.search(
        r"url\(|@import|fetch\(|XMLHttpRequest|import\(", text
    )
    assert "default-src 'none'" in text and "Permission is hereby granted, free of charge" in text


def test_a_library_with_another_checksum_is_refused(tmp_path):
    with pytest.raises(UserError, match="has the checksum sha512-.*; it must be sha512-KIMV"):
        chart_library.unpack(b"other", chart_library.PINNED["integrity"], tmp_path / "vendor")
    assert not (tmp_path / "vendor").exists()


def test_without_the_library_the_set_up_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(chart_library, "FOLDER", tmp_path)
    with pytest.raises(UserError, match="run 'make setup-live'"):
        build.page("planner")


@pytest.mark.docs
def test_pictures_of_the_documents_are_of_a_fair_size():
    for colours in ("light", "dark"):
        picture = (browsers.FIGURES / f"planner-{colours}.png").read_bytes()
        assert picture.startswith(b"\x89PNG") and len(picture) < 200_000
