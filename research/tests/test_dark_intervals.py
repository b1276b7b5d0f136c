# SPDX-License-Identifier: Apache-2.0
"""Dark intervals from Python to the erasure process `intervals` of the simulators: both models of the link, and TCP over it."""

from dataclasses import replace

import pytest

from arqlink import job
from arqlink.errors import UserError
from arqlink.link import runs
from arqlink.link.runs import Build, EndSettings, Packet, Run
from arqlink.model import intervals
from arqlink.rtl import verilated_end
from arqlink_research.paths import dark_intervals
from arqlink_research.paths.street import Street
from arqlink_research.tcp import builds
from arqlink_research.tcp import point as points
from tests import seeds

pytestmark = pytest.mark.research

CLOCK_HZ = 1000.0
DARK = [(10.0, 12.5), (13.0, 13.2), (20.0, 29.9995)]
CYCLE = 31.0
END = EndSettings(1, 1, 1, poll_timeout=3000, hello_interval=1000, keepalive=12_000)
"""Frames of one unit, so that the clock of a transmission is that of its unit."""
FROM = 8000
"""By then the link is up: nothing is dark before clock 10,000."""


def carried(tmp_path, model, content, p=0.0, packets=400, spacing=150):
    """What becomes of packets of one unit from A to B, with the file `content` for what A sends."""
    path = tmp_path / 'dark \\ "intervals"'
    path.write_text(content)
    offered = [Packet("A", FROM + spacing * i, 8) for i in range(packets)]
    until = FROM + spacing * packets + 40_000
    run = Run(Build(4, 8, 64, 512, 16, 8), (END, END), (300, 300), offered, until, erasures={"A": dark_intervals.process(path, p)})
    library = verilated_end.library("small") if model == "rtl" else None
    return runs.carry(run, model, library)


def clocks_by_loss(result):
    """(lost, received): clocks of A's transmissions. All but the last one of a frame were lost, as the link resends nothing else."""
    last = {}
    for end, fsn, attempt in result.transmitted:
        if end == "A":
            last[fsn] = max(attempt, last.get(fsn, 0))
    by_loss = {True: [], False: []}
    for (end, fsn, attempt), clock in result.transmitted.items():
        if end == "A":
            by_loss[attempt < last[fsn]].append(clock)
    return by_loss[True], by_loss[False]


def is_dark(clock, cycle=None):
    time = clock / CLOCK_HZ
    return any(begin <= (time % cycle if cycle else time) < end for begin, end in DARK)


@pytest.mark.parametrize("cycle", [CYCLE, None])
@pytest.mark.parametrize("model", ["event", "rtl"])
def test_units_are_erased_in_dark_intervals_and_in_no_others(tmp_path, model, cycle):
    path = tmp_path / "written"
    dark_intervals.write(path, DARK, CLOCK_HZ, cycle)
    result = carried(tmp_path, model, path.read_text(), packets=700)
    lost, received = clocks_by_loss(result)
    assert len(result.delivered["B"]) == 700 == len(received)
    assert lost and all(is_dark(clock, cycle) for clock in lost)
    assert not any(is_dark(clock, cycle) for clock in received)
    assert (max(lost) > CYCLE * CLOCK_HZ * 2) == (cycle is not None)
    # A shift by a tenth of a second would be seen.
    assert not all(is_dark(clock + 100, cycle) for clock in lost) and not all(is_dark(clock - 100, cycle) for clock in lost)


def test_others_are_erased_with_their_probability(tmp_path):
    lost, received = clocks_by_loss(carried(tmp_path, "event", "12000 15000\n", 0.2, packets=3000))
    clear = [clock for clock in lost if not 12000 <= clock < 15000]
    assert not any(12000 <= clock < 15000 for clock in received) and len(clear) < len(lost)
    interval = intervals.clopper_pearson(len(clear), len(clear) + len(received))
    assert [interval.contains(p) for p in (0.2, 0.17, 0.23)] == [True, False, False]


@pytest.mark.parametrize(
    "content, message",
    [
        ("10 x\n", "have '10 x' in line 1; a line must have two clocks, or cycle and its clocks."),
        ("# all\n\n10\n", "have '10' in line 3; a line must have two clocks"),
        ("-1 5\n", "a line must have two clocks"),
        ("1 5 7\n", "a line must have two clocks"),
        ("1 99999999999999999999\n", "a line must have two clocks"),
        ("5 5\n", "an interval must end after its beginning"),
        ("5 9\n8 12\n", "have '8 12' in line 2; an interval must not begin before the end of the one before it"),
        ("cycle 10\n5 11\n", "an interval must end within the cycle"),
        ("cycle 0\n", "the cycle must be above 0 and before all other lines"),
        ("1 2\ncycle 5\n", "the cycle must be above 0 and before all other lines"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path, content, message):
    with pytest.raises(UserError, match="^The dark intervals '") as refused:
        carried(tmp_path, "event", content, packets=1)
    assert message in str(refused.value)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    run = Run(Build(4, 8, 64, 512, 16, 8), (END, END), (300, 300), [], 100, erasures={"B": dark_intervals.process(tmp_path / "none")})
    with pytest.raises(UserError, match="/none' cannot be read."):
        runs.carry(run, "event")
    with pytest.raises(UserError, match="cannot be read."):
        runs.carry(replace(run, erasures={"B": dark_intervals.process(tmp_path)}), "event")  # a folder
    with pytest.raises(UserError, match="erasures\\[0\\].file is missing."):
        runs.carry(replace(run, erasures={"A": {"process": "intervals", "p": 0}}), "event")


def test_an_empty_file_erases_nothing(tmp_path):
    lost, received = clocks_by_loss(carried(tmp_path, "event", "cycle 10\n# nothing\n"))
    assert not lost and len(received) == 400


def test_tcp_has_them_too(tmp_path):
    """Intervals that say what `outage` says give the same run, number by number; others do not."""
    point = points.from_settings({"outage": "300,2000", "loss": 0.001, "delay_ms": 20.0, "connections": 2, "seconds": 20.0, "warm_up": 2.0})
    asked = point.job(3)
    link = asked["links"][0]
    dark, cycle, path = link["erasures"][0]["dark"], link["erasures"][0]["cycle"], tmp_path / "dark"

    def simulated(processes):
        return job.run(builds.program(), asked | {"links": [link | {"erasures": processes}]})

    def with_file(phase):
        path.write_text(f"cycle {cycle}\n{cycle - phase} {cycle - phase + dark}\n")
        return simulated([dark_intervals.process(path, process["p"]) for process in link["erasures"]])

    assert with_file(cycle // 2) == simulated(link["erasures"]) != with_file(cycle // 2 + dark)


def test_intervals_are_merged_and_cut():
    assert dark_intervals.merged([(5, 7), (1, 2), (2, 3), (6, 6.5), (9, 9)]) == [(1, 3), (5, 7)]
    assert dark_intervals.within([(1, 3), (5, 7), (8, 9)], 2, 6) == [(2, 3), (5, 6)]
    assert dark_intervals.complement([(0, 3), (5, 7)], 10) == [(3, 5), (7, 10)]
    assert dark_intervals.complement([], 10) == [(0, 10)]
    assert dark_intervals.total([(0, 3), (5, 7)]) == 5


def lines(path):
    return [line for line in path.read_text().splitlines() if not line.startswith("#")]


def test_clocks_of_the_file(tmp_path):
    """A clock is dark if its beginning is. An interval that no clock begins in is left out, and so is the time between two where none does."""
    path = tmp_path / "dark"
    dark_intervals.write(path, [(0.0101, 0.0203), (0.0301, 0.0309), (0.0401, 0.0502), (0.0509, 0.06)], 1000.0)
    assert lines(path) == ["11 21", "41 60"]


def test_ahead_moves_intervals_round_the_cycle(tmp_path):
    path = tmp_path / "dark"
    dark_intervals.write(path, [(0.0, 0.01), (0.5, 0.6)], 1000.0, 1.0, ahead=0.004)
    assert lines(path) == ["cycle 1000", "0 6", "496 596", "996 1000"]
    dark_intervals.write(path, [(0.0, 0.01), (0.5, 0.6)], 1000.0, ahead=0.004)
    assert lines(path) == ["0 6", "496 596"]
    dark_intervals.write(path, [(0.2, 0.3)], 1000.0, 1.0, ahead=2.25)
    assert lines(path) == ["cycle 1000", "0 50", "950 1000"]


@pytest.mark.parametrize(
    "given, message", [((0.0, 1.0, 0.0), "clock rate"), ((1e3, 0.4, 0.0), "The cycle is 0.4 s"), ((1e3, 1.0, -1.0), "moved ahead by -1 s")]
)
def test_what_is_no_file(tmp_path, given, message):
    with pytest.raises(UserError, match=message):
        dark_intervals.write(tmp_path / "dark", [(0.2, 0.5)], *given)


def test_a_street_as_a_file(tmp_path):
    street, path = Street(seed=seeds.seed_of("street")), tmp_path / "street"
    street.write(path, 410e3)
    cycle, *dark = (line.split() for line in lines(path))
    assert cycle == ["cycle", str(round(600 * 410e3))]
    assert len(dark) == len(street.shadowed)
    for (first, last), (begin, end) in zip(dark, street.shadowed):
        assert int(first) / 410e3 == pytest.approx(begin, abs=1 / 410e3) and int(last) / 410e3 == pytest.approx(end, abs=1 / 410e3)
    street.write(path, 410e3, cyclic=False)
    assert len(lines(path)) == len(street.shadowed)
