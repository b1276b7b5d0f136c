# SPDX-License-Identifier: Apache-2.0
"""What a link end believes, and what ends a belief that is wrong: for each of these rules of `Rules` a scenario that fails without it."""

from dataclasses import replace

import pytest

from cocotb_tests.model.config import Config, Rules
from cocotb_tests.model.link import LinkEnd
from cocotb_tests.model.pair import Direction, Pair
from cocotb_tests.model.scenario import DELAY, LIMIT, delivered, ends_of, forge, is_control, numbered
from cocotb_tests.model.sender import Setting
from cocotb_tests.model.units import SN, ControlUnit, DataUnit


def nack_that_became_an_ack(rules):
    """A frame fails, and the first report of it says that it was received."""
    pair, a, b = ends_of(rules)
    pair.erase = lambda end, unit: end is a and isinstance(unit, DataUnit) and unit.tsn == 3
    reports_it = lambda u: is_control(u) and u.rx_next > 3 >= u.bitmap_base  # noqa: E731
    forged = forge(b, lambda u: replace(u, bitmap=u.bitmap | 8), reports_it)
    a.backlog.extend(numbered(20))
    pair.settle(LIMIT)
    assert forged
    return pair, a, b


def test_frame_that_only_the_sender_takes_for_received_ends_in_a_resync():
    pair, a, b = nack_that_became_an_ack(Rules())
    assert b.resyncs and not a.resyncs and a.counters["link_restarts"] == 2
    a.backlog.extend(numbered(5, 9))
    pair.settle(LIMIT)
    assert delivered(b)[-5:] == numbered(5, 9)
    with pytest.raises(TimeoutError):
        nack_that_became_an_ack(Rules(contradictions=False))


def test_packet_that_begins_within_another_ends_in_a_resync():
    """Three packets of three frames each; the second frame of the second packet comes with sop, or its last one without eop."""
    for fsn, change in ((4, dict(sop=True)), (5, dict(eop=False))):
        for rules in (Rules(), Rules(contradictions=False)):
            pair, a, b = ends_of(rules)
            forged = forge(a, lambda u, change=change: replace(u, **change), lambda u, fsn=fsn: isinstance(u, DataUnit) and u.fsn == fsn)
            a.backlog.extend(numbered(3, 24))
            if rules.contradictions:
                pair.settle(LIMIT)
                assert forged and "packet" in b.resyncs[0] and delivered(b) == numbered(1, 24)
            else:
                with pytest.raises(TimeoutError):
                    pair.settle(LIMIT)


def one_forged_type(rules):
    """At infinite persistency one unit leaves as type 3; the transmission before is lost, and the rest of its own."""
    pair, a, b = ends_of(rules)
    forged = forge(a, lambda u: replace(u, last_try=True, all_below=True), lambda u: isinstance(u, DataUnit) and u.tsn == 3)
    pair.erase = lambda end, unit: end is a and isinstance(unit, DataUnit) and (unit.tsn, unit.index) in ((2, 0), (2, 1), (3, 1))
    a.backlog.extend(numbered(20))
    pair.settle(LIMIT)
    assert forged and not a.resyncs + b.resyncs
    return delivered(b)


def test_one_unit_of_type_3_skips_nothing():
    assert one_forged_type(Rules()) == numbered(20)
    assert one_forged_type(Rules(pairs=False)) == numbered(20)[:2] + numbered(20)[4:]


def one_forged_notice(rules):
    """At infinite persistency one control unit claims that all was abandoned, while a frame waits for its retransmission."""
    pair, a, b = ends_of(rules)
    pair.erase = lambda end, unit: end is a and isinstance(unit, DataUnit) and unit.tsn == 19
    forged = forge(a, lambda u: replace(u, abandons=True, tx_base=20), lambda u: is_control(u) and u.tx_edge == 20)
    a.backlog.extend(numbered(20))
    pair.settle(LIMIT)
    assert forged and not a.resyncs + b.resyncs
    return delivered(b)


def test_one_control_unit_with_abandons_skips_nothing():
    assert one_forged_notice(Rules()) == numbered(20)
    assert one_forged_notice(Rules(pairs=False)) == numbered(19)


def edge_out_of_reach(rules, erase=None):
    """At rest a forged txEdge moves B's rxNext beyond what A has sent, so that B takes what A sends for late, and A refuses what B says."""
    pair, a, b = ends_of(rules)
    forged = forge(a, lambda u: replace(u, tx_edge=60))
    a.due.add("poll")
    pair.run(pair.now + 1000)
    assert forged and b.rx.rx_next == 60
    pair.erase = erase(a, b) if erase else pair.erase
    a.backlog.extend(numbered(3))
    pair.settle(LIMIT)
    return a, b


def test_what_is_always_rejected_ends_in_a_resync():
    a, b = edge_out_of_reach(Rules())
    assert a.resyncs and not b.resyncs
    with pytest.raises(TimeoutError):
        edge_out_of_reach(Rules(strikes=False))


def every_other_answer(a, b):
    """What B says after every other poll of A is lost."""
    return lambda end, unit: end is b and is_control(unit) and a.counters["tx_polls"] % 2 == 1


def test_silence_does_not_take_a_strike_back():
    a, _ = edge_out_of_reach(Rules(), every_other_answer)
    assert a.resyncs
    with pytest.raises(TimeoutError):
        edge_out_of_reach(Rules(strikes_kept=False), every_other_answer)


def credit_too_early(rules):
    """A frame is missing when a forged rxBase says that all has been delivered. From then on the true one is behind."""
    pair, a, b = ends_of(rules)
    pair.erase = lambda end, unit: end is a and isinstance(unit, DataUnit) and unit.tsn == 3
    forged = forge(b, lambda u: replace(u, rx_base=3 + 1, rx_next=3, bitmap=7), lambda u: is_control(u) and u.rx_next > 3)
    a.backlog.extend(numbered(20))
    pair.settle(LIMIT)
    assert forged and delivered(b) == numbered(20)


def test_a_field_that_is_behind_leaves_the_others_valid():
    credit_too_early(Rules())
    with pytest.raises(TimeoutError):
        credit_too_early(Rules(fields_apart=False))


def another_window(rules, log2):
    """While the link starts, a hello of B says that its window is another one. Returns both ends after traffic of several windows."""
    c = Config(keepalive=1 << 30, rules=rules, setting=Setting(1, 1, 1))
    a, b = LinkEnd(c, name="A"), LinkEnd(c, name="B")
    pair = Pair(a, b, Direction(DELAY), Direction(DELAY))
    forged = forge(b, lambda u: replace(u, param=log2 << 16 | u.unit_bytes), lambda u: isinstance(u, ControlUnit) and u.hello)
    pair.run(5000)
    a.backlog.extend(numbered(200))
    pair.settle(LIMIT)
    assert forged and delivered(b) == numbered(200)
    return a, b


def test_a_peer_with_two_windows_ends_in_a_restart():
    for log2 in (c := Config().window_log2) - 1, c + 3:
        a, _ = another_window(Rules(), log2)
        assert a.peer_window == a.config.window and a.counters["link_restarts"] == 2
        a, _ = another_window(Rules(one_window=False), log2)
        assert a.counters["link_restarts"] == 1


def test_reserved_bits_beside_ack_tsn_are_passed_over():
    """Bits 7:4 of byte 4 without hello: whatever they are, ackTsn is the same."""
    pair, a, b = ends_of(Rules())
    forged = forge(b, lambda u: replace(u, param=u.param | 0xF00000))
    a.backlog.extend(numbered(20))
    b.backlog.extend(numbered(20))
    pair.settle(LIMIT)
    assert forged and delivered(b) == delivered(a) == numbered(20) and SN == 1 << 20
    assert a.counters["rx_control_invalid"] == b.counters["rx_control_invalid"] == 0
