# SPDX-License-Identifier: Apache-2.0
"""From which clock on a change of the setting counts: K, N, N_r and delta change under full traffic, and each frame, transmission
and decision that is seen on the line is held against the clock of the write."""

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass

import cocotb
import pytest

from cocotb_tests.lib.edges import rising_edges
from cocotb_tests.lib.limits import built
from cocotb_tests.model.sender import INFINITE, Setting
from cocotb_tests.model.units import DataUnit, parse, unwrap
from cocotb_tests.statistics.bench import clock_now, started
from cocotb_tests.system.streams import PacketSource, watch_packets, watch_units
from tests import seeds

BUILD = built()
UNIT_BEATS = BUILD.data_unit_beats
LONGEST_FRAME = (BUILD.max_k + BUILD.max_parity) * UNIT_BEATS
"""Clocks of the longest frame on the line."""
PACKET_UNITS = 60
DELAY = 600
LOSS = 0.25
CHANGES = 80


@dataclass(frozen=True)
class Change:
    asked: int  # clock before the write of APPLY
    done: int  # clock of its answer
    setting: Setting


@dataclass(frozen=True)
class Sent:
    """A transmission; `begin`: clock of its first beat. `attempt`: how often its frame had been sent before."""

    begin: int
    attempt: int
    unit: DataUnit


class Trace:
    """What left end A, what was reported to it, and when the last beat of each of its user's packets went in."""

    def __init__(self, dut, pair):
        self.sent, self.reported, self.accepted = [], {}, []
        self.attempts = Counter()  # transmissions of each FSN
        cocotb.start_soon(pair.watch_data_units("a_phy", BUILD.data_bytes, BUILD.unit_bytes, self._unit))
        cocotb.start_soon(watch_units(dut, "ba_tap", BUILD.data_bytes, self._control))
        cocotb.start_soon(watch_packets(dut, "a_s_axis", BUILD.data_bytes, lambda raw, aborted: self.accepted.append(clock_now())))

    def _unit(self, unit, begin, end):
        if unit.index == 0:
            self.sent.append(Sent(begin, self.attempts[unit.fsn], unit))
            self.attempts[unit.fsn] += 1

    def _control(self, raw, erased):
        """The clock of the first word about each transmission, and whether it was received."""
        unit = parse(raw, BUILD.unit_bytes)
        if isinstance(unit, DataUnit) or unit.hello:
            return
        end = unwrap(unit.rx_next, len(self.reported))
        base = unwrap(unit.bitmap_base, len(self.reported))
        for tsn in range(base, min(base + 64, end)):
            self.reported.setdefault(tsn, (clock_now(), bool(unit.bitmap >> (tsn - base) & 1)))


def setting_at(changes, at):
    """The settings that may be in force at a clock: two while a write is under way."""
    last = bisect_right([c.asked for c in changes], at) - 1
    found = [changes[last].setting]
    if last and at <= changes[last].done:
        found.append(changes[last - 1].setting)
    return found


def late_transmissions(trace, changes):
    """How long after each change the last transmission began that had the parity units of an older setting, in clocks; 0: none."""
    late = []
    for change, after in zip(changes, changes[1:]):
        span = [s for s in trace.sent if change.done < s.begin < after.asked]
        wanted = [change.setting.n_first - change.setting.k, change.setting.n_retx - change.setting.k]
        old = [i for i, s in enumerate(span) if s.unit.n - s.unit.k != wanted[s.attempt > 0]]
        assert old == list(range(len(old))), "an old setting came back"
        late.append(span[old[-1]].begin - change.done if old else 0)
    return late


def check_k(trace, changes):
    """A packet whose first beat came after the change begins with a frame of the new K. Returns for how many packets only one K was right."""
    frames = [s.unit for s in trace.sent if s.attempt == 0]
    packet, checked = -1, 0
    for unit in frames:
        packet += unit.sop
        if unit.sop and packet and packet < len(trace.accepted):
            since, until = trace.accepted[packet - 1], trace.accepted[packet]  # its first beat came between these
            allowed = {s.k for at in (since, until) for s in setting_at(changes, at)}
            allowed |= {c.setting.k for c in changes if since <= c.done <= until}
            assert unit.k in allowed, f"packet {packet} begins with K = {unit.k}, not one of {allowed}"
            checked += len(allowed) == 1
    return checked


def last_at_first(changes, begin):
    """Whether a first transmission was a last try, by the delta of its choice: a frame before it began, or two. None: that is not certain."""
    span = begin - 2 * LONGEST_FRAME, begin
    deltas = {s.delta for at in span for s in setting_at(changes, at)} | {c.setting.delta for c in changes if span[0] <= c.asked <= span[1]}
    return None if 0 in deltas and len(deltas) > 1 else deltas == {0}


def check_delta(trace, changes):
    """What is decided a frame after the change follows its delta: a frame that fails is sent again exactly if its attempt is
    below, and it was no last try. Returns how many were and were not sent again."""
    history = {}
    for s in trace.sent:
        history.setdefault(s.unit.fsn, []).append(s)
    end = trace.sent[-1].begin - 10 * DELAY
    counts = {True: 0, False: 0}
    for transmissions in history.values():
        for sent, after in zip(transmissions, [*transmissions[1:], None]):
            unit = sent.unit
            when, received = trace.reported.get(unit.tsn, (end, True))
            if received or when >= end:
                continue
            deltas = {s.delta for at in (when, when + LONGEST_FRAME) for s in setting_at(changes, at)}
            last = unit.last_try or sent.attempt == 0 and last_at_first(changes, sent.begin)
            if len(deltas) > 1 or last is None:
                continue
            again = not last and sent.attempt < deltas.pop()
            assert again == (after is not None), f"FSN {unit.fsn}, attempt {sent.attempt}, at clock {when}"
            counts[again] += 1
    return counts


@cocotb.test()
async def a_change_takes_effect_within_a_frame(dut):
    rng = seeds.rng("settings")
    pair = await started(dut)
    trace = Trace(dut, pair)
    await pair.start_link(k=4, n=5, nr=5, delta=INFINITE, delay=DELAY)
    await pair.start_channel(pair.ab, seed=seeds.seed_of("channel"), p=LOSS)
    changes = [Change(0, 0, Setting(4, 5, 5, 0, INFINITE))]

    def packets():
        while True:
            yield rng.randbytes(BUILD.unit_bytes * PACKET_UNITS)

    PacketSource(dut, "a_s_axis", 1).start(packets())
    for _ in range(CHANGES):
        await rising_edges(dut.aclk, rng.randint(200, 3000))
        k = rng.randint(2, BUILD.max_k)
        first, retx = (k + rng.randint(0, BUILD.max_parity) for _ in range(2))
        setting = Setting(k, first, retx, rng.randrange(3), rng.choice([0, 1, 2, 5, INFINITE]))
        await pair.a.write("CODE", k=k, n_first=first, n_retx=retx, preset=setting.preset)
        await pair.a.write("ARQ", delta=setting.delta, ord=1, outage_freeze=1)
        asked = clock_now()
        await pair.a.write("APPLY", apply=1)
        changes.append(Change(asked, clock_now(), setting))
    await rising_edges(dut.aclk, 12 * DELAY)

    late = late_transmissions(trace, changes)
    decided = check_delta(trace, changes)
    begun = check_k(trace, changes)
    cocotb.log.warning("transmissions %d, late per change %s, K seen %d, decisions %s", len(trace.sent), late, begun, decided)
    assert max(late) <= LONGEST_FRAME
    assert begun > 20 and min(decided.values()) > 50

    # Would it be seen if a change came later than it was written?
    early = [Change(c.asked - 4 * LONGEST_FRAME, c.done - 4 * LONGEST_FRAME, c.setting) for c in changes]
    with pytest.raises(AssertionError):
        assert max(late_transmissions(trace, early)) <= LONGEST_FRAME
    for check in (check_k, check_delta):
        with pytest.raises(AssertionError):
            check(trace, early)
