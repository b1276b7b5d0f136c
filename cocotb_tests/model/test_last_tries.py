# SPDX-License-Identifier: Apache-2.0
"""Last tries and units of type 2: what they skip, and when. For each of these rules of `Rules` a scenario that fails without it."""

from dataclasses import replace
from itertools import combinations

import pytest

from cocotb_tests.model.config import Config, Rules
from cocotb_tests.model.pair import Direction
from cocotb_tests.model.scenario import DELAY, LIMIT, checked_pair, delivered, ends_of, finish, forge, numbered
from cocotb_tests.model.sender import INFINITE, Setting
from cocotb_tests.model.units import SN, DataUnit
from tests import seeds


def lose(pair, *units):
    """Loses data units of A: (TSN, index), or all of a TSN."""
    pair.erase = lambda end, unit: end is pair.ends[0] and isinstance(unit, DataUnit) and not {unit.tsn, (unit.tsn, unit.index)}.isdisjoint(units)


def set_delta(end, delta):
    end.config = end.tx.config = replace(end.config, setting=replace(end.config.setting, delta=delta))


def outage(end, now):
    """The shortest one: what was sent before is forgiven."""
    end.set_phy(False, now)
    end.set_phy(True, now)


def agree(a, b):
    """What the sender counts as lost is what the receiver has skipped."""
    return a.tx.counters["tx_frames_abandoned"] == b.rx.counters["rx_frames_skipped"]


# -- a failed last try is skipped at once


def ways_until_delivered(rules, setting, units, packets=4):
    """`units` of A are lost, and with them packet 1. Returns how often a unit has crossed the link until the last packet was delivered."""
    pair, a, b = ends_of(rules, setting)
    lose(pair, *units)
    a.backlog.extend(numbered(packets, 4 * setting.k))
    pair.settle(LIMIT)
    assert delivered(b) == [p for i, p in enumerate(numbered(packets, 4 * setting.k)) if i != 1] and agree(a, b)
    return (b.delivered[-1][0] - 5000) // DELAY


@pytest.mark.parametrize("delta", [0, 1, 2, 5])
@pytest.mark.parametrize("index", [0, 1, 2])
def test_a_failed_last_try_is_skipped_at_once(delta, index):
    """Without its type the sender's notice would have to come: that takes another round trip."""
    lost = [(tsn, index) for tsn in [1, *range(4, 4 + delta)]]
    setting = Setting(3, 3, 3, 0, delta)
    assert ways_until_delivered(Rules(), setting, lost) == 1 + 2 * delta
    assert ways_until_delivered(Rules(announced=False), setting, lost) == 3 + 2 * delta


@pytest.mark.parametrize("count", range(4))
def test_two_units_of_a_last_try_are_enough(count):
    """Of a retransmission behind units of type 0 any two units skip its frame when it closes; one alone, or none, waits for the notice."""
    for arrive in combinations(range(5), count):
        lost = [1, *((4, index) for index in range(5) if index not in arrive)]
        assert ways_until_delivered(Rules(), Setting(4, 4, 5, 0, 1), lost) == (3 if count >= 2 else 5), arrive


def test_the_unit_before_may_be_of_another_transmission():
    """Two last tries in succession, of each of which one unit arrives: the first frame waits for a notice, the second does not."""
    for lost, ways in (((1, 0), (2, 0), 4, (5, 1)), 5), (((1, 0), (2, 0), (4, 0), (5, 1)), 3):
        pair, a, b = ends_of(Rules(), Setting(2, 2, 2, 0, 1))
        lose(pair, *lost)
        a.backlog.extend(numbered(4))
        pair.settle(LIMIT)
        skipped_one_by_one = (4, 0) in lost
        assert (b.delivered[-1][0] - 5000) // DELAY == 5 and b.rx.counters["rx_frames_skipped"] == 2 and skipped_one_by_one == (ways == 3)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_without_retransmissions_a_lost_transmission_is_skipped_by_the_next_two_units(k):
    setting = Setting(k, k, k, 0, 0)
    assert ways_until_delivered(Rules(), setting, [1]) == 1
    assert ways_until_delivered(Rules(announced=False), setting, [1]) == 3


@pytest.mark.parametrize("k", [1, 2])
def test_one_unit_behind_a_lost_transmission_is_not_enough(k):
    """The transmission behind it loses all units but one, and is the last one. The one before was of type 3, which says nothing of what came later."""
    pair, a, b = ends_of(Rules(), Setting(k, k, k, 0, 0))
    lose(pair, 1, *((2, index) for index in range(1, k)))
    a.backlog.extend(numbered(3, 4 * k))
    pair.settle(LIMIT)
    assert delivered(b) == [numbered(3, 4 * k)[i] for i in ((0, 2) if k == 1 else (0,))]
    assert k > 1 or b.delivered[-1][0] - 5000 > 3 * DELAY


# -- a last try stays one


def raised_delta(rules):
    """Delta goes from 0 to 5 while frames are under way that fail: they must not be sent again, the receiver has skipped them."""
    pair, a, b = ends_of(rules, Setting(2, 2, 2, 0, 0))
    lose(pair, *((tsn, 1) for tsn in (1, 2, 3)))
    a.backlog.extend(numbered(4))
    pair.run(5200)
    set_delta(a, 5)
    a.backlog.append(b"last")
    pair.settle(LIMIT)
    assert delivered(b) == [numbered(1)[0], b"last"]
    return a, b


def outage_after_a_last_try(rules):
    """Of the retransmission of frame 1 one unit is lost, and before the outcome comes there is an outage."""
    pair, a, b = ends_of(rules, Setting(3, 3, 3, 0, 1))
    lose(pair, (1, 0), (4, 0))
    a.backlog.extend(numbered(4, 12))
    pair.run(5000 + 2 * DELAY + 200)
    assert a.tx.next_tsn == 5
    outage(a, pair.now)
    pair.settle(LIMIT)
    return a, b


@pytest.mark.parametrize("scenario", [raised_delta, outage_after_a_last_try])
def test_a_last_try_is_not_sent_again(scenario):
    """Else what the receiver has skipped would arrive, and the sender would count it as received."""
    a, b = scenario(Rules())
    assert a.tx.counters["tx_retx"] == (scenario is outage_after_a_last_try) and agree(a, b)
    assert a.tx.counters["tx_outcomes_outage"] == 0
    a, b = scenario(Rules(last_is_last=False))
    assert not agree(a, b)


# -- what may be announced


def lowered_and_raised(rules):
    """Frame 1 fails at delta 5. At delta 0 two more frames are sent, and then it is 5 again, so frame 1 is retransmitted."""
    pair, a, b = ends_of(rules, Setting(2, 2, 2, 0, 5))
    lose(pair, 1)
    a.backlog.extend(numbered(3))
    pair.run(5200)
    set_delta(a, 0)
    a.backlog.extend(numbered(5)[3:])
    pair.run(5400)
    set_delta(a, 5)
    pair.settle(LIMIT)
    return delivered(b), a, b


def test_type_3_waits_until_no_frame_below_can_be_sent_again():
    got, a, b = lowered_and_raised(Rules())
    assert got == numbered(5) and agree(a, b)
    got, a, b = lowered_and_raised(Rules(announced_if_certain=False))
    assert got == numbered(1) + numbered(5)[2:] and not agree(a, b)


def forgiven_and_lowered(rules):
    """Frame 0 fails twice, and between these frame 1. An outage forgives the last two failures, and then delta is 0: frame 1 is sent again with attempt 0,
    and then frame 0."""
    pair, a, b = ends_of(rules, Setting(2, 2, 2, 0, 5))
    lose(pair, 0, 1, 2)
    a.backlog.extend(numbered(1))
    pair.run(5000 + 2 * DELAY - 100)
    a.backlog.extend(numbered(2)[1:])
    pair.run(5000 + 2 * DELAY + 200)
    assert [a.tx.fsn_of[tsn] for tsn in (1, 2)] == [1, 0]
    outage(a, pair.now)
    set_delta(a, 0)
    pair.settle(LIMIT)
    assert a.tx.counters["tx_outcomes_outage"] == 2
    return delivered(b), a, b


def test_a_retransmission_says_nothing_of_the_frames_below():
    """It is of type 2, not 3, though its attempt is 0: frame 0 is still to come."""
    got, a, b = forgiven_and_lowered(Rules())
    assert got == numbered(2) and agree(a, b)


def test_type_3_comes_back_once_all_frames_before_are_resolved():
    """Delta goes from 5 to 0. First transmissions are of type 0 while the base has not passed those of before, and of type 3 from then on."""
    pair, a, _ = ends_of(Rules(), Setting(2, 2, 2, 0, 5))
    left = []
    pair.sent = lambda end, raw, now: left.append((a.tx.base, raw[0] >> 4 & 3)) if end is a and raw[0] >> 4 & 3 != 1 else None
    a.backlog.extend(numbered(3))
    pair.run(5200)
    set_delta(a, 0)
    for _ in range(40):
        a.backlog.extend(numbered(1))
        pair.run(pair.now + 50)
    pair.settle(LIMIT)
    types = [kind for _, kind in left[6:]]
    assert types == [3 * (base >= 3) for base, _ in left[6:]] and 0 < sum(types) < 3 * len(types)


# -- notices


def control_units_beside_losses(rules):
    """FEC alone, and each tenth transmission is lost in full; A never rests."""
    pair, a, b = ends_of(rules, Setting(1, 1, 1, 0, 0), window_log2=8)
    lose(pair, *range(5, 400, 10))
    a.backlog.extend(numbered(250, 4))
    pair.run(5000 + 250 * 5)
    before = a.counters["tx_control_units"]
    pair.settle(LIMIT)
    assert agree(a, b)
    return before


def test_frames_behind_an_abandoned_one_spare_its_notice():
    assert control_units_beside_losses(Rules()) + 20 < control_units_beside_losses(Rules(notices_wait=False))


@pytest.mark.parametrize("last", range(4))
def test_the_end_of_traffic_has_its_notice(last):
    """The newest transmissions are lost, in full: no frame behind them shows it, so a notice does, long before POLL_TIMEOUT."""
    pair, a, b = ends_of(Rules(), Setting(2, 2, 2, 0, 0), poll_timeout=20_000)
    lose(pair, *range(10 - last, 10))
    a.backlog.extend(numbered(10))
    pair.run(5000 + 4 * DELAY)
    assert delivered(b) == numbered(10 - last) and agree(a, b) and b.rx.base_limit == 10


def test_a_notice_that_waited_is_sent_when_delta_is_raised():
    """Frames 1 and 2 fail, and of both no unit arrives. The frames behind them are of type 0, as delta is 5 meanwhile, and never rest."""
    pair, a, b = ends_of(Rules(), Setting(2, 2, 2, 0, 0), poll_timeout=20_000)
    lose(pair, 1, 2)
    a.backlog.extend(numbered(3))
    pair.run(5100)
    set_delta(a, 5)
    a.backlog.extend(numbered(200)[3:])
    pair.run(5000 + 4 * DELAY)
    assert a.tx.next_fsn < 200 and len(b.delivered) > 10 and agree(a, b)


# -- one unit that is wrong though its CRC is right


@pytest.mark.parametrize("delta", [0, 1, INFINITE])
@pytest.mark.parametrize("all_below", [False, True], ids=["type 2", "type 3"])
@pytest.mark.parametrize("ahead", range(50))
def test_one_forged_unit_of_a_last_try(delta, all_below, ahead):
    """It names another frame. That frame may be skipped if the units before are of type 3, and the one whose unit it was; no others are, and without
    last tries none is."""
    pair, a, b = ends_of(Rules(), Setting(2, 2, 2, 0, delta))
    forged = forge(a, lambda u: replace(u, last_try=True, all_below=all_below, fsn=(u.fsn + ahead) % SN), lambda u: isinstance(u, DataUnit) and u.fsn == 10)
    a.backlog.extend(numbered(80))
    pair.settle(LIMIT)
    skipped = set(numbered(80)) - set(delivered(b))
    assert forged and skipped <= {numbered(80)[i] for i in (10, 10 + ahead)} and (delta == 0 or not skipped)


# -- all of it, at random


@pytest.mark.parametrize("seed", range(40))
def test_delta_changes_under_way(seed):
    """Losses, outages and changes of delta at any time: both ends have lost the same frames, and the checkers agree."""
    rng = seeds.rng(seed)
    c = Config(setting=Setting(2, 2, 3, 0, rng.choice([0, 1, 2])), outage_timeout=0, window_log2=rng.choice([6, 7]))
    pair, checkers = checked_pair(c, c, Direction(rng.choice([20, 200]), 0.2), Direction(rng.choice([20, 200]), 0.1), seed)

    def change():
        for end in pair.ends:
            set_delta(end, rng.choice([0, 0, 1, 2, INFINITE]))
            checkers[end.name].sender.active = [end.config.setting]
        if rng.random() < 0.3:
            outage(pair.ends[0], pair.now)
            checkers["A"].sender.freeze_below = checkers["A"].sender.next_tsn

    for i in range(30):
        pair.at(1000 + i * 200 + rng.randint(0, 199), change)
    packets = [bytes([i, j]) + rng.randbytes(rng.randint(0, 20)) for i in range(2) for j in range(150)]
    for end, share in zip(pair.ends, (packets[:150], packets[150:])):
        end.backlog.extend(share)
    pair.settle(400_000)
    finish(pair, checkers)
    a, b = pair.ends
    assert agree(a, b) and agree(b, a)
    assert a.tx.counters["tx_frames_abandoned"] and not a.resyncs + b.resyncs
