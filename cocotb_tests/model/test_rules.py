# SPDX-License-Identifier: Apache-2.0
"""Start, restart and reboot; and for each rule of `Rules` a scenario that fails without it."""

import random
from dataclasses import replace

import pytest

from cocotb_tests.model.config import Config, Rules
from cocotb_tests.model.link import HELLO, OUTAGE, UP, LinkEnd
from cocotb_tests.model.pair import Direction, Pair
from cocotb_tests.model.sender import Setting
from tests import seeds


def pair_of(config, other=None, forward=None, backward=None, rng=None):
    a, b = LinkEnd(config, name="A"), LinkEnd(other or config, name="B")
    return Pair(a, b, forward, backward, rng), a, b


def burst(first, last):
    return lambda now: first <= now < last


@pytest.mark.parametrize("seed", range(12))
def test_restarts_and_reboots_always_end_in_a_working_link(seed):
    rng = seeds.rng(seed)
    c = Config(hello_interval=rng.choice([50, 300, 1000]), outage_timeout=rng.choice([0, 8000]))
    delay = rng.choice([3, 100, 800])
    ways = [Direction(delay, rng.choice([0, 0.1, 0.49])) for _ in range(2)]
    pair, a, b = pair_of(c, None, *ways, rng=seeds.rng(f"channel {seed}"))
    last = rng.choice([600, 3000, 20_000])
    for _ in range(rng.randint(1, 4)):
        pair.at(rng.randint(1, last), rng.choice([a.reboot, b.reboot, a.restart, b.restart]))
    for end in (a, b):
        end.backlog.extend(b"early" + rng.randbytes(20) for _ in range(30))
    pair.run(last + 40 * (2 * delay + c.hello_interval))  # until the other side has noticed
    there = [b"late" + rng.randbytes(rng.randint(1, 100)) for _ in range(20)]
    a.backlog.extend(there)
    pair.settle(2_000_000)
    assert [p for _, p in b.delivered if p.startswith(b"late")] == there
    early = [p for _, p in b.delivered if p.startswith(b"early")]
    assert len(set(early)) == len(early)


def reboot_before_anything_was_heard(rules):
    """B comes up, all it says without hello is lost, and it reboots with the epoch that it had."""
    c = Config(rules=rules)
    pair, a, b = pair_of(c, None, Direction(100), Direction(100, burst(210, 330)))
    pair.at(300, b.reboot)
    a.backlog.append(b"packet")
    pair.settle(100_000)


def test_hello_without_knowledge_restarts():
    reboot_before_anything_was_heard(Rules())
    with pytest.raises(TimeoutError):
        reboot_before_anything_was_heard(Rules(lost_hello_restarts=False))


def two_restarts_within_a_round_trip(rules):
    pair, a, b = pair_of(Config(rules=rules), None, Direction(100), Direction(100))
    pair.at(1000, a.restart)
    pair.at(1100, a.restart)
    pair.run(1200)
    a.backlog.append(b"packet")
    pair.settle(100_000)
    return a.counters["link_restarts"] + b.counters["link_restarts"]


def test_new_epoch_in_hello_is_only_learned():
    assert two_restarts_within_a_round_trip(Rules()) <= 5
    with pytest.raises(TimeoutError):
        two_restarts_within_a_round_trip(Rules(relearn_in_hello=False))


def frames_lost_at_start(rules):
    """A's second hello and first control unit are erased, so A is up before B; the channel erases no data unit."""
    c = Config(setting=Setting(4, 5, 5, 0, 0), hello_interval=1000, rules=rules)
    pair, a, b = pair_of(c, None, Direction(100, lambda now: now in (68, 176)), Direction(60))
    a.backlog.extend(bytes(16) for _ in range(40))
    pair.settle(100_000)
    return a.tx.counters["tx_frames_abandoned"]


def test_data_waits_until_the_peer_is_up():
    assert frames_lost_at_start(Rules()) == 0
    assert frames_lost_at_start(Rules(data_after_heard=False)) > 0


def outcomes_to_keep(rules):
    """A's window is four times B's; feedback is dark again and again. Returns for how many transmissions in a row outcomes
    had to be kept."""
    c = Config(window_log2=9, setting=Setting(1, 1, 1), rules=rules)
    dark = lambda now: now % 2100 > 450  # noqa: E731 - no multiple of POLL_TIMEOUT, or each answer is lost
    pair, a, b = pair_of(c, replace(c, window_log2=7), Direction(100, 0.1), Direction(100, dark))
    most = []
    pair.sent = lambda end, raw, now: most.append(a.tx.next_tsn - a.tx.ack)
    a.backlog.extend(bytes([i % 256]) for i in range(2000))
    pair.settle(200_000)
    assert len(b.delivered) == 2000
    return max(most)


def test_outcomes_are_kept_for_the_smaller_window():
    """A believes outcomes that B does not keep any more, which mean nothing: packets are lost."""
    assert outcomes_to_keep(Rules()) == 128
    with pytest.raises(AssertionError):
        outcomes_to_keep(Rules(smaller_window=False))


def lower_delta(rules):
    """Delta goes from infinite to 1 while frames are at their third attempt, and the channel stays dark for data."""
    c = Config(setting=Setting(4, 4, 4), rules=rules)
    pair, a, b = pair_of(c, None, Direction(100, 0), Direction(100))
    pair.run(600)
    pair.ways[0].loss = 0.9
    a.backlog.extend(bytes(16) for _ in range(4))
    assert pair.run(1_000_000, lambda: max((f.attempt for f in a.tx.frames.values()), default=0) > 2)
    a.config = a.tx.config = replace(c, setting=replace(c.setting, delta=1))
    pair.run(pair.now + 200_000)
    return a.tx.counters["tx_frames_abandoned"]


def test_delta_may_be_lowered():
    assert lower_delta(Rules()) > 0
    assert lower_delta(Rules(delta_at_least=False)) == 0


def packet_longer_than_the_peers_window(rules):
    c = Config(window_log2=8, setting=Setting(1, 1, 1), max_packet=65 * 4, rules=rules)
    pair, a, b = pair_of(c, replace(c, window_log2=6), Direction(100), Direction(100))
    a.backlog.append(bytes(65 * c.unit_bytes))
    with pytest.raises(TimeoutError):
        pair.settle(50_000)
    return a


def test_window_that_cannot_hold_the_longest_packet_is_refused():
    """Without a link the user knows; with one the packet would stop everything for ever."""
    a = packet_longer_than_the_peers_window(Rules())
    assert a.state == HELLO and a.counters["peer_mismatch"] > 0
    a = packet_longer_than_the_peers_window(Rules(hello_window=False, contradictions=False))
    assert a.state == UP and a.tx.next_fsn == 64


@pytest.mark.parametrize("delta", [0, 2])
def test_one_way_outage_stops_data(delta):
    """A hears nothing and says so; B stops, and what was lost meanwhile does not count towards its delta."""
    c = Config(setting=Setting(4, 4, 4, 0, delta), keepalive=1000, outage_timeout=5000)
    pair, a, b = pair_of(c, None, Direction(500), Direction(500, burst(5000, 60_000)))
    pair.at(7000, lambda: b.backlog.extend(bytes([i]) * 16 for i in range(50)))
    pair.run(50_000)
    assert a.state == b.state == OUTAGE and a.deaf and not b.deaf
    sent = b.tx.next_tsn
    pair.run(59_000)
    assert b.tx.next_tsn == sent
    pair.settle(100_000)
    assert a.state == b.state == UP
    assert b.tx.counters["tx_frames_abandoned"] == (b.tx.counters["tx_outcomes_failed"] if delta == 0 else 0)


def test_phy_down():
    c = Config(setting=Setting(4, 5, 5), keepalive=1000, outage_timeout=5000)
    pair, a, b = pair_of(c, None, Direction(500), Direction(500))
    pair.at(3000, lambda: a.set_phy(False, pair.now))
    pair.at(20_000, lambda: a.set_phy(True, pair.now))
    pair.at(4000, lambda: b.backlog.append(b"packet"))
    pair.run(19_000)
    assert a.state == b.state == OUTAGE and not a.delivered
    pair.settle(50_000)
    assert [p for _, p in a.delivered] == [b"packet"]


def delivered_beside_a_saturated_link(rules):
    """B sends one-unit frames without end; they are no longer than a control unit. A has a few packets of its own."""
    c = Config(window_log2=10, unit_bytes=8, setting=Setting(1, 1, 1), rules=rules)
    pair, a, b = pair_of(c, None, Direction(100), Direction(100))
    b.backlog.extend(bytes(8) for _ in range(2000))
    a.backlog.extend([b"packet"] * 10)
    pair.at(2000, lambda: a.backlog.extend([b"packet"] * 10))
    pair.run(8000)
    assert b.tx.next_fsn < b.tx.stored
    return len(b.delivered)


def test_outcomes_do_not_starve_data():
    assert delivered_beside_a_saturated_link(Rules()) == 20
    assert delivered_beside_a_saturated_link(Rules(turns=False)) < 20


def waits_for_a_peer_that_hears_again(rules):
    """B was deaf, and said so with a keep-alive; that it hears again was lost, and neither has anything else to say. Returns when a packet of A came,
    in less than KEEPALIVE."""
    c = Config(poll_timeout=2000, keepalive=20_000, rules=rules)
    pair, a, b = pair_of(c, None, Direction(100), Direction(100, burst(21_900, 23_000)))
    pair.at(15_000, lambda: b.set_phy(False, pair.now))
    pair.at(22_000, lambda: b.set_phy(True, pair.now))
    pair.at(22_500, lambda: a.backlog.append(b"packet"))
    pair.run(30_000)
    assert a.counters["link_outages"] == 1
    return [clock for clock, _ in b.delivered]


def test_a_peer_that_was_deaf_is_asked():
    assert waits_for_a_peer_that_hears_again(Rules())
    assert not waits_for_a_peer_that_hears_again(Rules(deaf_polls=False))


def beliefs_apart(rules):
    """A has another epoch than B believes, as after reboots within a round trip whose hellos were erased."""
    pair, a, b = pair_of(Config(rules=rules), None, Direction(100), Direction(100))
    pair.run(1000)
    a.epoch += 1
    a.backlog.append(b"packet")
    pair.settle(50_000)


def test_units_of_a_stranger_restart():
    beliefs_apart(Rules())
    with pytest.raises(TimeoutError):
        beliefs_apart(Rules(stranger_restarts=False))


def reboot_with_a_hello_under_way(rules, seed):
    """A reboots while hellos that know its epoch are under way to it; returns which of its new packets arrived."""
    rng = random.Random(seed)  # fixed seed: one in a hundred mixes the lives without the rule
    c = Config(rules=rules, hello_interval=rng.choice([20, 40, 80]))
    pair, a, b = pair_of(c, None, Direction(100, 0.5), Direction(100, 0.1), random.Random(seed))  # fixed seed: as above
    a.backlog.extend([b"first"] * 8)
    second = [b"second%d" % i for i in range(8)]
    rebooted = []

    def reboot():
        a.now = pair.now
        a.reboot()
        a.backlog.extend(second)

    def watch():
        if b.delivered and not rebooted:
            rebooted.append(True)
            pair.at(pair.now + rng.randint(1, 99), reboot)

    pair.run(3000, watch)
    pair.settle(60_000)
    return [p for _, p in b.delivered if p in second], second


@pytest.mark.parametrize("seed", [15, 78, 144, 345])
def test_two_lives_of_a_side_are_never_mixed(seed):
    """The peer's outcomes and frames of the life before would be mistaken for those of the new one. Data that waits for a unit
    without hello makes it impossible: by then every hello of the peer has come."""
    got, expected = reboot_with_a_hello_under_way(Rules(), seed)
    assert got in (expected, [])  # a restart that follows flushes all of them
    rules = Rules(data_after_heard=False, contradictions=False, strikes=False)  # which would end it
    try:
        got, expected = reboot_with_a_hello_under_way(rules, seed)
    except TimeoutError:  # mixed, and nothing moves any more
        return
    assert 0 < len(got) < len(expected)


def all_there_but_outcomes_missing(rules):
    """Feedback is dark for more outcomes than a control unit shows, the frames all arrive, and nothing is sent afterwards: the
    last report shows that everything is delivered, but not what became of the oldest transmissions."""
    c = Config(window_log2=9, setting=Setting(1, 1, 1), keepalive=1 << 30, rules=rules)
    pair, a, b = pair_of(c, None, Direction(100), Direction(100, burst(700, 1180)))
    pair.run(600)
    a.backlog.extend(bytes([i]) for i in range(120))
    pair.settle(20_000)


def test_missing_outcomes_are_polled_for():
    all_there_but_outcomes_missing(Rules())
    with pytest.raises(TimeoutError):
        all_there_but_outcomes_missing(Rules(missing_polls=False))
