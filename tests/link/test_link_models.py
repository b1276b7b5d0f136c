# SPDX-License-Identifier: Apache-2.0
"""The two models of the link in lockstep: the same packets and the same losses give the same deliveries and counters.

`event` knows the clocks of the RTL's blocks only as constants (sim/link/event/latencies.h), so clocks may differ by some units. What
the protocol decides may not, but for the number of control units: two causes some clocks apart make one of them or two.
"""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from arqlink import job
from arqlink.errors import UserError
from arqlink.link import builds, clock_table, erasures, runs
from arqlink.link.runs import Build, EndSettings, Losses, Packet, Run
from arqlink.model.link_setup import INFINITE_DELTA
from arqlink.rtl import verilated_end
from tests import seeds

BUILDS = {
    "small": (Build(4, 8, 64, 512, 16, 8), ("small", ())),
    "small_w1024": (Build(4, 8, 1024, 512, 16, 8), ("small", ("windowFrames=1024",))),
    "wide8": (Build(8, 72, 128, 9216, 8, 4), ("wide8", ())),
    "paper8": (Build(8, 24, 4096, 9216, 10, 8), ("paper8", ())),
}
IN_SEQUENCE = {"paper8"}
"""Builds whose packets leave in sequence: frames come so fast there that out of sequence the RTL forgets some (see sim/link/README.md)."""
TIMING_DECIDES = {"tx_control_units", "tx_polls", "rx_control_units", "rx_erased_flag", "tx_phy_idle"}
"""Counters in which control units are counted."""
SHARE, NUMBER = 0.15, 30
"""By which these may differ, and by the keep-alives for which there is time after the last outcome: the ends poll in turn then, or both at once, as it
happens."""
USUAL, MOST = 25, 200
"""Unit times by which nine tenths of the deliveries may differ, and all of them …"""
WAITING = 0.001
"""Share of the outcomes that may be further apart: reports are not the same units in both models, so one of them may lose all that have an
outcome, which then waits for a poll."""
BEHIND = 0.03
"""The same where frames are given up after a retransmission: of a last try that fails one unit may have come, and whether that shows hangs on the unit
before it, so on which frame went before. If not, all behind the frame waits for a notice, a round trip later."""
DRIFT = 0.0005
"""… beside this share of the time: where more is offered than the line carries, a clock more for a frame adds up."""


def settings(rng, build, delay):
    """At random; timers as arqlink.model.link_setup chooses them."""
    k = rng.randint(1, min(build.max_k, 8))
    n_first, n_retx = (rng.randint(k, k + build.max_parity) for _ in range(2))
    frame = max(n_first, n_retx) * build.unit_clocks
    poll = round(2.5 * (delay + frame)) + 8 * frame
    delta, in_order, status = rng.choice([0, 1, 2, 5, 15]), rng.random() < 0.7, rng.choice([0, 0, 0, 300])
    return EndSettings(k, n_first, n_retx, delta, in_order, True, poll, max(1000, delay // 2), 4 * poll, 0, status)


def draw(seed, build, frames):
    """A run of about so many frames at A, with some traffic back. The load is below or above what the line carries."""
    rng = seeds.rng(seed)
    frame = build.unit_clocks * 6
    delay = rng.randint(200, max(400, build.window_frames * frame // 3))
    ends = (settings(rng, build, delay), settings(rng, build, delay))
    k = ends[0].k
    clock = build.window_frames + 8 * delay + 5000
    packets, sent, space = [], 0, rng.uniform(0.9, 2.0)
    while sent < frames:
        size = rng.randint(8, min(build.max_packet_bytes, 6 * k * build.unit_bytes))
        packets.append(Packet("A", clock, size))
        if rng.random() < 0.3:
            packets.append(Packet("B", clock, rng.randint(8, 64)))
        sent += -(-size // (k * build.unit_bytes))
        clock += round(space * size / build.unit_bytes * build.unit_clocks * max(ends[0].n_first, ends[0].n_retx) / k)
    probabilities = rng.choice([0, 0.001, 0.01, 0.05, 0.1]), rng.choice([0, 0.01, 0.1]), rng.choice([0, 0.02]), rng.choice([0, 0.02])
    losses = Losses(*probabilities, rng.choice([4, 16]), seeds.seed_of(f"losses {seed}"))
    return Run(build, ends, (delay, rng.randint(200, delay)), packets, clock + 40 * (delay + ends[0].poll_timeout), losses)


def differences(run, event, rtl):
    """In what `event` differs from `rtl` beyond the limits, in sentences."""
    unit = run.build.unit_clocks
    rest = run.until - max((clock for end in "AB" for clock in rtl.settled[end].values()), default=0)
    for end, settings, peer in zip("AB", run.ends, run.ends[::-1]):
        keepalives = rest / settings.keepalive
        ours, theirs = event.delivered[end], rtl.delivered[end]
        if ours.keys() != theirs.keys():
            yield f"{end}: packets {sorted(ours.keys() ^ theirs.keys())[:5]} are delivered by one only"
            continue
        if settings.in_order and list(ours) != list(theirs):
            yield f"{end}: packets are delivered in another order"
        yield from apart(end, "deliveries", ours, theirs, unit, late_share(peer, 0))
        if event.settled[end].keys() != rtl.settled[end].keys():
            yield f"{end}: frames {sorted(event.settled[end].keys() ^ rtl.settled[end].keys())[:5]} are settled by one only"
            continue
        yield from apart(end, "outcomes", event.settled[end], rtl.settled[end], unit, late_share(settings, WAITING))
        for counter, value in rtl.counters[end].items():
            mine = event.counters[end][counter]
            if abs(mine - value) > (NUMBER + SHARE * value + keepalives if counter in TIMING_DECIDES else 0):
                yield f"{end}: {counter} is {mine}, and {value} in the RTL"
    if event.transmitted.keys() != rtl.transmitted.keys():
        yield f"transmissions {sorted(event.transmitted.keys() ^ rtl.transmitted.keys())[:5]} are those of one only"


def late_share(sender, usual):
    """Share of a sender's frames that may wait for what the other model's do not: `usual`, where it does not give frames up after a retransmission."""
    return BEHIND if 0 < sender.delta < INFINITE_DELTA else usual


def apart(end, what, ours, theirs, unit, waiting):
    """A sentence if the clocks of `ours` and `theirs` are too far apart; a share `waiting` of them may be further apart than MOST."""
    begin = min(theirs.values(), default=0)
    distances = sorted((abs(ours[key] - theirs[key]) - DRIFT * (theirs[key] - begin)) / unit for key in ours)
    usual, most = (distances[min(int(len(distances) * share), len(distances) - 1)] if distances else 0 for share in (0.9, 1 - waiting))
    if usual > USUAL or most > MOST:
        yield f"{end}: {what} are {usual:.0f} unit times apart, and {most:.0f} at most"


def both(run, name):
    """The run, and what both models make of it. Where more is offered than the line carries, the run is made long enough for all of it."""
    while True:
        event = runs.carry(run, "event")
        quiet = 20 * (max(run.delay) + max(end.poll_timeout for end in run.ends))
        if max((clock for end in "AB" for clock in event.settled[end].values()), default=0) + quiet < run.until:
            return run, event, runs.carry(run, "rtl", verilated_end.library(*BUILDS[name][1]))
        run = replace(run, until=run.until + run.until // 4)


def lockstep(seed, name, frames):
    run = draw(seed, BUILDS[name][0], frames)
    if name in IN_SEQUENCE:
        run = replace(run, ends=tuple(replace(end, in_order=True) for end in run.ends))
    run, event, rtl = both(run, name)
    assert sum(rtl.counters[end]["tx_frames"] for end in "AB") >= frames
    assert not list(differences(run, event, rtl)), f"seed {seed}, {name}"


@pytest.mark.parametrize("seed", range(4))
def test_lockstep(seed):
    lockstep(seed, ("small", "small_w1024")[seed % 2], 1500)


def test_lockstep_of_the_build_for_tcp():
    lockstep("paper8", "paper8", 1500)


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(21))
def test_lockstep_over_100_000_frames(seed):
    lockstep(seed, list(BUILDS)[seed % len(BUILDS)], 100_000)


@pytest.mark.parametrize("freeze", [True, False])
def test_an_outage(freeze):
    """All is dark for a while, with frames under way: an outage at both ends, and what failed counts as an attempt or does not."""
    end = EndSettings(4, 6, 6, 1, True, freeze, 3000, 1000, 2000, 9000)
    packets = [Packet("A", 8000 + 400 * i, 32) for i in range(20)] + [Packet("A", 30_000, 100), Packet("B", 60_000, 100), Packet("A", 60_000, 100)]
    run = Run(BUILDS["small"][0], (end, end), (700, 700), packets, 120_000, Losses(dark_from=10_200, dark_until=40_000))
    run, event, rtl = both(run, "small")
    assert not list(differences(run, event, rtl))
    assert rtl.counters["A"]["link_outages"] == 1 and (rtl.counters["A"]["tx_outcomes_outage"] > 0) == freeze
    assert (rtl.counters["A"]["tx_acked_1"] > 0) != freeze


@pytest.mark.parametrize("beats", [(1, 3), (4, 1), (3, 5)])
def test_lines_that_differ(beats):
    """The line of an end takes a beat in several clocks: packets come later, and timers are longer, as often."""
    most, run = max(beats), draw("beats", BUILDS["small"][0], 600)
    ends = tuple(replace(end, poll_timeout=most * end.poll_timeout, keepalive=most * end.keepalive) for end in run.ends)
    packets = [replace(packet, clock=most * packet.clock) for packet in run.packets]
    run = replace(run, ends=ends, packets=packets, until=most * run.until, clocks_per_beat=beats)
    run, event, rtl = both(run, "small")
    assert not list(differences(run, event, rtl))
    assert any(differences(run, runs.carry(replace(run, clocks_per_beat=(1, 1)), "event"), rtl))


def test_a_delay_that_changes(tmp_path):
    """It grows and shrinks, at once by as much as 175 units take: they neither overtake each other nor get lost."""
    delays = [(0, 400), (9_000, 1_400), (14_000, 700), (20_000, 300), (20_500, 1_300), (22_000, 350)]
    clock_table.write(tmp_path / "delays", "changes", delays, 30_000)
    end = EndSettings(4, 6, 6, 5, True, True, 12_000, 3000, 48_000)
    packets = [Packet("A" if i % 3 else "B", 8000 + 150 * i, 8 + i % 150) for i in range(400)]
    run = Run(BUILDS["small"][0], (end, end), (4_000, 4_000), packets, 240_000, Losses(0.1, 0.05, seed=seeds.seed_of("losses")), delays=tmp_path / "delays")
    run, event, rtl = both(run, "small")
    assert not list(differences(run, event, rtl))
    assert any(differences(run, runs.carry(replace(run, delays=None), "event"), rtl))


@pytest.fixture(scope="module")
def pair():
    """A run with losses both ways, and what both models made of it."""
    end = EndSettings(4, 6, 6, 5, True, True, 3000, 1000, 12000)
    packets = [Packet("A" if i % 3 else "B", 6000 + 150 * i, 8 + i % 150) for i in range(400)]
    run = Run(BUILDS["small"][0], (end, end), (400, 400), packets, 120_000, Losses(0.25, 0.05, seed=seeds.seed_of("losses")))
    return both(run, "small")


def test_what_the_lockstep_would_notice(pair):
    """The comparison finds each sort of difference."""
    run, event, rtl = pair
    assert not list(differences(run, event, rtl))
    found = [next(differences(replace(run), changed(event, how), rtl)) for how in ("packet", "order", "clock", "settled", "outcome", "counter", "transmission")]
    assert [text.split(": ")[-1].split()[0] for text in found] == ["packets", "packets", "deliveries", "frames", "outcomes", "tx_retx", "transmissions"]


def changed(carried, how):
    """The same with one difference."""
    delivered = {end: dict(clocks) for end, clocks in carried.delivered.items()}
    counters = {end: dict(values) for end, values in carried.counters.items()}
    settled = {end: dict(clocks) for end, clocks in carried.settled.items()}
    transmitted = dict(carried.transmitted)
    first, second, *others = delivered["B"].items()
    if how == "packet":
        del delivered["B"][first[0]]
    elif how == "order":
        delivered["B"] = dict([second, first, *others])
    elif how == "clock":
        delivered["B"] = {packet: clock + 26 * 6 for packet, clock in delivered["B"].items()}
    elif how == "settled":
        settled["A"].popitem()
    elif how == "outcome":
        settled["A"] = {fsn: clock + 26 * 6 for fsn, clock in settled["A"].items()}
    elif how == "counter":
        counters["A"]["tx_retx"] += 1
    else:
        transmitted.popitem()
    return runs.Carried(carried.accepted, delivered, transmitted, settled, counters)


def test_a_model_with_another_rule_is_noticed(pair):
    """What `event` does at persistency 1 is not what the RTL does at 5."""
    run, _, rtl = pair
    other = replace(run, ends=tuple(replace(end, delta=1) for end in run.ends))
    assert any("tx_frames_abandoned" in text or "delivered by one" in text for text in differences(run, runs.carry(other, "event"), rtl))


@pytest.mark.parametrize(
    "change, message",
    [
        ({"build": Build(3, 9, 64, 512, 16, 8)}, "dataBytes is 3"),
        ({"build": Build(4, 10, 64, 512, 16, 8)}, "unitBytes is 10"),
        ({"build": Build(4, 8, 48, 384, 16, 8)}, "windowFrames is 48"),
        ({"build": Build(4, 8, 64, 600, 16, 8)}, "more frames at K = 1 than the window"),
        ({"delay": (0, 400)}, "delay of one clock"),
        ({"clocks_per_beat": (1, 0)}, "a beat in 1 to 1000 clocks"),
        ({"delays": Path("/nowhere")}, "The delays '/nowhere' cannot be read"),
        ({"packets": [Packet("A", 6000, 513)]}, "too long"),
        ({"packets": [Packet("C", 6000, 50)]}, 'packets\\[0\\].end is "C"; it must be A or B.'),
    ],
)
def test_settings_that_no_link_has(pair, change, message):
    with pytest.raises(UserError, match=message):
        runs.carry(replace(pair[0], **change), "event")


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "have no line with a delay"),
        ("# nothing\n", "have no line with a delay"),
        ("5 400\n", "must hold from clock 0 on"),
        ("0 400\n70 300\n70 500\n", "have '70 500' in line 3; clocks must grow"),
        ("0 0\n", "a delay must be a clock or more"),
        ("0 -4\n", "a line must have two clocks"),
        ("0 400 5\n", "a line must have two clocks"),
        ("cycle 100\n0 400\n100 300\n", "must begin within the cycle"),
        ("0 400\ncycle 100\n", "before all other lines"),
        ("cycle 0\n", "the cycle must be above 0"),
    ],
)
def test_tables_of_delays_that_are_none(pair, tmp_path, text, message):
    (tmp_path / "table").write_text(text)
    with pytest.raises(UserError, match=message):
        runs.carry(replace(pair[0], delays=tmp_path / "table"), "event")


@pytest.mark.parametrize(
    "field, value, message", [("k", 17, "K is 17"), ("n_retx", 13, "N is 13"), ("n_first", 3, "N is 3"), ("delta", 16, "persistency is 16")]
)
def test_end_settings_that_no_link_has(pair, field, value, message):
    run = pair[0]
    with pytest.raises(UserError, match=message):
        runs.carry(replace(run, ends=(replace(run.ends[0], **{field: value}), run.ends[1])), "event")


def test_a_library_of_another_build_is_refused(pair):
    run = replace(pair[0], build=Build(4, 8, 128, 512, 16, 8))
    with pytest.raises(UserError, match="another unit or window"):
        runs.carry(run, "rtl", verilated_end.library("small"))
    with pytest.raises(UserError, match="cannot be loaded"):
        runs.carry(run, "rtl", "/nowhere/libend.so")


def paths(value, at=()):
    """The ways to all keys of a job, and to the first element of each list."""
    for key, part in value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, (list, tuple)) else ():
        yield (*at, key)
        yield from paths(part, (*at, key))


def shown(path):
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).removeprefix(".")


USUAL_END = EndSettings(4, 6, 6)
EXAMPLE = json.loads(job.text(Run(BUILDS["small"][0], (USUAL_END, USUAL_END), (400, 400), [Packet("A", 6000, 50)], 7000).job("event")))
EXAMPLE["link"]["erasures"] = [erasures.outage(1, 2, 0, 0.5), None]
KEYS = [path for path in paths(EXAMPLE) if isinstance(path[-1], str)]
DEFAULTS = {"library", "delays", "beats", "erasures"}


def changed_at(path, change):
    """The example, with `change` done to the object, and its key, at the end of a path."""
    asked = json.loads(json.dumps(EXAMPLE))
    at = asked
    for key in path[:-1]:
        at = at[key]
    change(at, path[-1])
    return asked


@pytest.mark.parametrize("path", [path for path in KEYS if path[-1] not in DEFAULTS], ids=shown)
def test_a_key_is_missing(path):
    with pytest.raises(UserError, match=f"^{re.escape(shown(path))} is missing.$"):
        job.run(builds.program(), changed_at(path, lambda at, key: at.pop(key)))


@pytest.mark.parametrize("path", KEYS, ids=shown)
def test_a_value_is_of_another_type(path):
    with pytest.raises(UserError, match=f"^{re.escape(shown(path))} is .*; it must be .*\\.$"):
        job.run(builds.program(), changed_at(path, lambda at, key: at.update({key: {"a": 1} if isinstance(at[key], list) else [1]})))


@pytest.mark.parametrize("path", [path for path in KEYS if isinstance(path[-1], str)], ids=shown)
def test_a_key_is_unknown(path):
    name = shown((*path[:-1], "colour"))
    with pytest.raises(UserError, match=f'^"{re.escape(name)}" is not a key of a job.$'):
        job.run(builds.program(), changed_at((*path[:-1], "colour"), lambda at, key: at.update({key: 1})))


@pytest.mark.parametrize(
    "path, wrong, rule",
    [
        (("link", "model"), "fast", "event or rtl"),
        (("link", "ends", 1, "in_order"), 1, "true or false"),
        (("link", "ends", 0, "poll_timeout"), 2**32, "a whole number from 0 to 4294967295"),
        (("link", "ends", 0, "k"), -1, "a whole number from 0 to 4294967295"),
        (("link", "ends", 0, "k"), 3.0, "a whole number from 0 to 4294967295"),
        (("link", "delay"), [1, 2, 3], "a list of 2"),
        (("link", "erasures", 0, "process"), "rain", "bernoulli, markov, outage or intervals"),
        (("packets", 0, "end"), "C", "A or B"),
        (("until",), None, "a whole number from 0 to 18446744073709551615"),
    ],
    ids=str,
)
def test_a_value_is_wrong(path, wrong, rule):
    with pytest.raises(UserError, match=f"^{re.escape(shown(path))} is .*; it must be {rule}\\.$"):
        job.run(builds.program(), changed_at(path, lambda at, key: at.__setitem__(key, wrong)))
