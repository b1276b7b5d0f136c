# SPDX-License-Identifier: Apache-2.0
"""The firmware's commands on the Verilated pair, and its size. What needs the soft CPU is in cocotb_tests/soc."""

import pytest

from arqlink.rtl import soc
from arqlink.rtl.registers import contract
from sw.tests import build, firmware
from tests.effort import slow_in_full

MUST_BE = "it must be a probability, such as 0.05, 5e-2 or 5%"
TRAFFIC = ["write 0x4008 320", "write 0x400c 320", "write 0x5004 2", "write 0x4004 1"]
"""Packets of 5 full frames at K = 8 from A to B without end, which the checker takes."""


def values(answer):
    *items, okay = answer
    assert okay == "OK", answer
    return dict(item.split(" ", 1) for item in items)


def refused(wrong, *options):
    for (line, answer), found in zip(wrong.items(), firmware.talk(list(wrong), 0, *options)[1:], strict=True):
        assert found == [f"ERROR {answer}"], line


def channel(lines):
    """What `channel ab` shows after some commands, all of which have to go well."""
    answers = firmware.talk([*lines, "channel ab", "channel ba"], 0)
    assert all(answer == ["OK"] for answer in answers[1:-2]), answers
    return values(answers[-2]), values(answers[-1])


def test_channel_settings():
    ab, ba = channel(["channel ab loss 5%", "channel ab delay 300", "channel ab pace 2", "channel ab control 0", "channel ba outage 1"])
    assert ab["channel"] == "ab" and ab["model"] == "bernoulli" and ab["p_good"] == "5e-2"
    assert [ab[name] for name in ("delay", "pace", "control", "outage")] == ["300", "2", "0", "0"]
    assert [ba[name] for name in ("channel", "model", "delay", "pace", "control", "outage")] == ["ba", "none", "0", "0", "1", "1"]
    ab, _ = channel(["channel ab burst 0 1 1e-3 0.25", "channel ab seed 0xffffffff"])
    assert [ab[name] for name in ("model", "p_good", "p_bad", "p_gb", "p_bg")] == ["burst", "0", "1", "1e-3", "2.5e-1"]
    ab, _ = channel(["channel ab burst 0 1 1e-3 0.25", "channel ab loss 0"])
    assert ab["model"] == "none"


def test_channels_are_shown_together():
    both = firmware.talk(["channel"], 0)[1]
    assert both[-1] == "OK" and [line for line in both if line.startswith("channel ")] == ["channel ab", "channel ba"]


def test_channel_refuses():
    refused(
        {
            "channel up": "a channel is 'ab' or 'ba', not 'up'",
            "channel ab colour 1": "no such setting of a channel: 'colour'",
            "channel ab loss": "one value has to follow 'loss'",
            "channel ab loss 1 2": "one value has to follow 'loss'",
            "channel ab loss 2": f"P is '2'; {MUST_BE}",
            "channel ab loss 1e-10": "P is '1e-10'; above 0 it must be at least 1.2e-10",
            "channel ab delay 3": "CLOCKS is '3'; it must be 4 to 16777215",
            "channel ab delay 16777215": "the built channel is too short for a delay of '16777215'",
            "channel ab outage 2": "outage is '2'; it must be 0 to 1",
            "channel ab control x": "control is 'x'; it must be 0 to 1",
            "channel ab seed -1": "N is '-1'; it must be 0 to 4294967295",
            "channel ab pace 4294967296": "CLOCKS is '4294967296'; it must be 0 to 4294967295",
            "channel ab burst 0 1": "P_GOOD P_BAD P_GB P_BG have to follow 'burst'",
            "channel ab burst 0 1 2 0": f"P_GB is '2'; {MUST_BE}",
        }
    )


def test_without_a_pair():
    none = "this system has no channel emulators"
    refused({"channel": none, "channel ab": none, "selftest": none, "end b": "this system has no link end 'b'"}, "single")


def test_selftest():
    default, small = (values(a) for a in firmware.talk(["selftest", "selftest 10 8 50%"])[1:])
    assert default["sent"] == default["received"] == "64" and int(default["erased"]) > 50
    assert small["sent"] == small["received"] == "10" and int(small["erased"]) > 3
    for name in ("lost", "disordered", "corrupt", "aborted"):
        assert default[name] == small[name] == "0"


def test_selftest_says_what_went_wrong():
    lines = ["link down", "selftest", "link up", "selftest 1 8 2e-10", "timers 2000 1000 1000 0 0", "selftest 10 8 1"]
    lines += ["tune goodput", "selftest", "tune off", *TRAFFIC, "selftest"]
    answers = dict(zip(enumerate(lines), firmware.talk(lines)[1:], strict=True))
    found = [answer[-1] for (_, line), answer in answers.items() if line.startswith("selftest")]
    assert found == [
        "ERROR the link is not up",
        "ERROR the channel erased nothing, so nothing was tested",
        "ERROR not all packets came in time",
        "ERROR the tuner of link A is running; 'tune off' stops it",
        "ERROR a generator or checker is running",
    ]
    refused(
        {
            "selftest 0": "PACKETS is '0'; it must be 1 to 1000000",
            "selftest 1 7": "BYTES is '7'; it must be 8 to 9216",
            "selftest 1 9217": "BYTES is '9217'; it must be 8 to 9216",
            "selftest 1 8 x": f"P is 'x'; {MUST_BE}",
            "selftest 1 8 0": "P must be above 0, or nothing is tested",
        }
    )


def test_selftest_is_stopped_by_ctrl_c():
    """Its answer comes at once, all settings are restored, and the next command runs."""
    answers = firmware.talk(["link", "selftest 1000000 9216 0.5", "\x03link", "selftest"])
    assert answers[2][0] == "^C" and answers[2][-1] == "ERROR stopped by Ctrl-C"
    assert int(answers[2][2].removeprefix("received ")) < 1000
    assert values(answers[3]) == values(answers[1])
    assert answers[4][-1] == "OK"


def test_an_event_that_nobody_counts_does_not_hold_the_line():
    """The handler of one end masks what it does not watch, and leaves it in ERROR; the other end keeps its mask."""
    register = contract().ARQLINK
    bit = 1 << register["ERROR"].fields["apply_rejected"].shift
    other = 0x1000 + register["IRQ_ENABLE"].offset
    write = [
        f"write {other} {bit}",
        f"write {register['IRQ_ENABLE'].offset} {bit}",
        f"write {register['CODE'].offset} 0",
        f"write {register['APPLY'].offset} 1",
    ]
    read = [f"read {register['IRQ_ENABLE'].offset}", f"read {register['ERROR'].offset}", f"read {other}"]
    *_, enabled, pending, others = firmware.talk([*write, *read])
    assert int(enabled[0]) & bit == 0 and int(enabled[0]) != 0
    assert int(pending[0]) & bit
    assert others == [str(bit), "OK"]


def test_events_of_both_ends():
    """A restart of one end takes both down and up. Only what happens while printing is on is printed, and never within an answer."""
    answers = firmware.talk(["events", "link restart", "events on", "link restart", "events", "end b", "events"])
    before, quiet, _, loud, after, _, other = answers[1:]
    assert quiet == ["OK"]
    assert loud[0] == "OK" and sorted(loud[1:]) == ["EVENT link_down", "EVENT link_down b", "EVENT link_up", "EVENT link_up b"]
    for shown in (values(after), values(other)):
        assert [shown[name] for name in ("link_down", "link_up", "outage", "threshold", "printed")] == ["2", "3", "0", "0", "on"]
    assert values(before)["link_up"] == "1" and values(before)["printed"] == "off"


def test_outage_and_threshold_are_reported():
    timers = "timers 20000 1000 1000 4000 0"  # of both ends, so that neither is silent for too long
    lines = ["end b", timers, "end a", timers, "events on", "channel ba outage 1", "link", "channel ba outage 0", "threshold tx_phy_idle 1"]
    answers = firmware.talk(lines)
    assert answers[6] == ["OK", "EVENT outage", "EVENT outage b"] and values(answers[7])["state"] == "outage"
    assert answers[9] == ["OK", "EVENT threshold"]


def test_ends_are_set_apart():
    a, b = (values(x) for x in firmware.talk(["end b", "code 4 6", "delta 2", "end a", "link", "end b", "link"])[5:8:2])
    assert (a["k"], a["n"], a["delta"]) == ("10", "12", "inf") and (b["k"], b["n"], b["delta"]) == ("4", "6", "2")


def test_tuner_follows_the_channel():
    """With p = 5 % it finds p and a code that meets the target; p = 0.1 % is then seen, and a better code is chosen."""
    lines = ["code 8 8", "delta 0", *TRAFFIC, "channel ab loss 5%", "tune loss 1e-4 packet 320"]
    lines += ["tune"] * 12 + ["channel ab loss 1e-3"] + ["tune"] * 20 + ["link"]
    answers = firmware.talk(lines, 20000)
    bad, good, link = (values(answers[i]) for i in (-23, -2, -1))
    assert 0.03 < float(bad["p_low"]) <= float(bad["p"]) <= float(bad["p_high"]) < 0.08 and 0.04 < float(bad["p"]) < 0.06, bad
    assert bad["met"] == "1" and bad["k"] == "8" and bad["frames"] == "5" and int(bad["changes"]) >= 1
    assert float(good["p"]) < 0.005 and int(good["n"]) < int(bad["n"]), (bad, good)
    assert link["n"] == good["n"] and good["failures"] == "0"  # delta may be what hysteresis keeps


def test_tuner_notices_what_a_user_changes():
    """A code that is set while it runs is judged, and left again if it breaks the goal."""
    lines = ["code 8 12", *TRAFFIC, "channel ab loss 5%", "tune loss 1e-4"] + ["tune"] * 8
    lines += ["code 8 8", "delta 0"] + ["tune"] * 16 + ["link"]
    answers = firmware.talk(lines, 20000)
    last, link = values(answers[-2]), values(answers[-1])
    assert (link["n"], link["delta"]) != ("8", "0")
    assert int(last["changes"]) >= 1 and last["failures"] == "0" and last["met"] == "1"


UPSETS = {
    "stats reset": ["stats reset"],
    "link restarts, then tune": ["link restart", "link restart", "tune off", "tune loss 1e-4 packet 320"],
}


@pytest.mark.parametrize("upset", slow_in_full(UPSETS, slow={"stats reset"}))
def test_tuner_is_not_upset_on_a_long_link(upset):
    """More than a thousand transmissions without outcome, four windows: cleared counters and restarts mix no two settings up."""
    lines = ["code 8 12", *TRAFFIC, "channel ab delay 40000", "channel ab loss 20%", "tune loss 1e-4 packet 320"]
    lines += ["tune"] * 4 + UPSETS[upset]
    answers = firmware.talk(lines + ["tune"] * 16, 60000)
    shown = [values(answer) for answer in answers[-16:]]
    judged = [float(v["p"]) for v in shown if "p" in v]
    print(judged, [v["changes"] for v in shown])
    assert len(judged) > 8 and all(0.1 < p < 0.35 for p in judged)
    assert int(shown[-1]["windows"]) > 10 and int(shown[-1]["changes"]) <= 6 and shown[-1]["failures"] == "0"


def test_a_failing_step_stops_nothing():
    """A counter that cannot be read fails each step, and `stats`; all else goes on."""
    offset = contract().COUNTERS["tx_outcomes_ok"].offset
    answers = firmware.talk(["tune goodput", "stats", "tune", "link"], 50000, "broken", offset)
    unreachable = "a register cannot be reached"
    assert answers[2][-1] == f"ERROR {unreachable}"
    shown = values(answers[3])
    assert shown["running"] == "1" and int(shown["failures"]) >= 2 and shown["last_failure"] == unreachable
    assert values(answers[4])["state"] == "up"


@pytest.mark.parametrize("errors", [1, 3])
def test_a_bus_error_in_the_handler_hides_events_for_a_while_only(errors):
    """It is told even while events are not printed, once for errors in a row, and what happened meanwhile comes afterwards."""
    offset = contract().ARQLINK["ERROR"].offset
    lines = ["events", "events on", "link restart", "events", "end b", "events"]
    answers = firmware.talk(lines, 100000, "broken", offset, errors)
    assert answers[0] == ["EVENT bus_error"] and values(answers[1])["bus_error"] == "1"
    assert sorted(answers[3][1:]) == ["EVENT link_down", "EVENT link_down b", "EVENT link_up", "EVENT link_up b"]
    assert values(answers[4])["link_up"] == "2" and values(answers[4])["bus_error"] == "1"
    assert values(answers[6])["bus_error"] == "0"


def test_a_bus_error_that_stays_is_told_once():
    answers = firmware.talk(["events", "link restart", "events", "link"], 60000, "broken", contract().ARQLINK["ERROR"].offset)
    assert answers[0] == ["EVENT bus_error"] and answers[2] == ["OK"]
    assert values(answers[3])["bus_error"] == "1" and values(answers[3])["link_up"] == "0"
    assert values(answers[4])["state"] == "up"


@pytest.fixture(scope="module")
def size():
    """Bytes of text and constants, and of variables, of the firmware for the soft CPU."""
    folder = soc.software()
    text, data, bss = build.run("riscv64-unknown-elf-size", str(folder / "firmware.elf")).splitlines()[1].split()[:3]
    print(f"firmware: {text} bytes of text and constants, {data} + {bss} of variables")
    return int(text), int(data) + int(bss)


def test_size(size):
    assert size[0] <= 32 * 1024


def test_cppcheck():
    folders = (firmware.FOLDER, firmware.FOLDER.parent / "bsp")
    checks = ("--std=c11", "--enable=warning,style,performance,portability", "--error-exitcode=1", "-q", "--inline-suppr")
    build.run("cppcheck", *checks, *build.INCLUDES, *(f"-I{folder}" for folder in folders), *map(str, folders))
