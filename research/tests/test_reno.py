# SPDX-License-Identifier: Apache-2.0
"""NewReno and Reno without SACK, rule by rule: scripts of what arrives, and what must be sent (RFC 5681, 6582, 3042, 6298, 9293)."""

import subprocess

from arqlink_research.tcp import builds


def play(script):
    """Lines that `reno_script` prints, as lists of words."""
    done = subprocess.run([builds.program("reno_script")], input=script, capture_output=True, text=True, check=True)
    return [line.split() for line in done.stdout.splitlines()]


def sent(script):
    """(time, segment) of all that a sender sends."""
    return [(float(time), int(number)) for what, time, number, *_ in play(script) if what == "send"]


def state(script):
    """(cwnd, ssthresh) at the last `state`."""
    return tuple(map(float, [line for line in play(script) if line[0] == "state"][-1][2:]))


def acks(script):
    """(time, next, window, window only) of all that a receiver sends; the window is -1 where there is no limit."""
    return [(float(time), int(next), int(window), only == "1") for _, time, next, window, _, only in play(script)]


def of(segments, at):
    return [number for time, number in segments if abs(time - at) < 1e-6]


DUPLICATES = "0.2 ack 1\n0.21 ack 1\n0.22 ack 1\n0.23 ack 1\n"
"""An ACK of segment 0, and three duplicates of it."""


def test_slow_start_grows_by_a_segment_an_ack():
    segments = sent("sender 2\n0.1 ack 2\n0.2 ack 4\n")
    assert of(segments, 0) == [0, 1] and of(segments, 0.1) == [2, 3, 4] and of(segments, 0.2) == [5, 6, 7]


def test_limited_transmit_then_fast_retransmit():
    """Ten segments under way: a new one for each of the first two duplicates, and segment 1 again at the third. ssthresh is half of the
    flight (11 with the ACK's growth, and two more), cwnd three more."""
    segments = sent("sender 10\n" + DUPLICATES)
    assert of(segments, 0.2) == [10, 11] and of(segments, 0.21) == [12] and of(segments, 0.22) == [13] and of(segments, 0.23) == [1]
    assert state("sender 10\n" + DUPLICATES + "0.23 state\n") == (6.5 + 3, 6.5)


def test_two_duplicates_are_no_loss():
    assert 1 not in of(sent("sender 10\n0.2 ack 1\n0.21 ack 1\n0.22 ack 1\n0.3 state\n"), 0.22)


def test_a_partial_ack_sends_the_next_hole_and_a_full_one_ends_recovery():
    script = "sender 10\n" + DUPLICATES + "0.4 ack 5\n0.45 state\n0.6 ack 14\n0.65 state\n"
    segments = sent(script)
    assert of(segments, 0.4)[0] == 5
    cwnd, ssthresh = state(script)
    assert ssthresh == 6.5 and cwnd <= ssthresh
    # The flight is nothing but what the full ACK allowed, so cwnd is two segments: min(ssthresh, max(flight, 1) + 1).
    assert cwnd == 2


def test_without_timestamps_what_was_sent_again_is_not_measured():
    """RFC 6298, section 5.7: segment 0 times out at 1, 3 and 7 s, and is acknowledged at 7.1 s. By its timestamp the round trip is 0.1 s, and the next
    timeout comes a second later; by Karn's rule it is as long as it has become. A segment that was sent once ends that."""
    script = "{} 1\n7.1 ack 1\n16 state\n"
    assert of(sent(script.format("sender")), 8.1) == [1]
    assert of(sent(script.format("karn")), 8.1) == [] and of(sent(script.format("karn")), 15.1) == [1]
    again = sent("karn 1\n7.1 ack 1\n7.3 ack 2\n9 state\n")
    assert of(again, 8.3) == [2]


def test_without_timestamps_a_segment_behind_one_that_was_sent_again_is_not_measured():
    """Segment 0 is lost, and sent again after a second; the ACK of both measures nothing: the timeout is 2 s, and not 3 times 1.1 s or more."""
    segments = sent("karn 2\n1.1 ack 2\n1.2 state\n3.2 state\n")
    assert of(segments, 1.1)[0] == 2 and of(segments, 3.1) == [2]


def test_classic_reno_ends_recovery_with_the_first_new_ack():
    """The ACK of 5 would be partial: nothing is retransmitted, and cwnd is ssthresh (RFC 5681, section 3.2, step 6)."""
    script = "classic 10\n" + DUPLICATES + "0.4 ack 5\n0.41 state\n"
    assert 5 not in of(sent(script), 0.4) and state(script) == (6.5, 6.5)


def test_classic_reno_halves_again_for_the_next_loss_of_a_window():
    """Segments 1 and 5 of ten were lost. NewReno retransmits 5 at the partial ACK, and halves once. Reno needs three duplicates more,
    and halves the flight of 9 segments again."""
    rest = DUPLICATES + "0.4 ack 5\n0.41 ack 5\n0.42 ack 5\n0.43 ack 5\n0.44 state\n"
    reno, newreno = sent("classic 10\n" + rest), sent("sender 10\n" + rest)
    assert [time for time, number in newreno if number == 5] == [0, 0.4]
    assert [time for time, number in reno if number == 5] == [0, 0.43]
    assert state("sender 10\n" + rest)[1] == 6.5
    assert state("classic 10\n" + rest) == (4.5 + 3, 4.5)


def test_classic_reno_takes_duplicates_after_a_timeout_for_a_loss():
    """Without NewReno's point of recovery; compare test_no_fast_retransmit_at_the_point_of_recovery."""
    assert 10 in of(sent("classic 10\n1.1 ack 10\n1.2 ack 10\n1.21 ack 10\n1.22 ack 10\n"), 1.22)


def test_no_fast_retransmit_at_the_point_of_recovery():
    """After a timeout all ten segments are sent again; copies of what had arrived make three duplicates of ACK 10, the highest segment sent plus
    one: no loss (RFC 6582, section 3.2, step 2). Later ones are."""
    back = "sender 10\n1.1 ack 10\n1.2 ack 10\n1.21 ack 10\n1.22 ack 10\n"
    assert 10 not in of(sent(back), 1.22) and state(back + "1.23 state\n")[1] == 5
    later = back + "1.4 ack 11\n1.41 ack 11\n1.42 ack 11\n1.43 ack 11\n"
    assert 11 in of(sent(later), 1.43)


def test_the_first_segment_can_be_retransmitted():
    assert of(sent("sender 10\n0.2 ack 0\n0.21 ack 0\n0.22 ack 0\n"), 0.22) == [0]


def test_timeouts_double_and_halve_once():
    """RFC 6298, section 5, and RFC 5681, section 3.1: ssthresh is half of the flight at the first timeout of a segment, and stays."""
    script = "sender 10\n8 state\n"
    assert [time for time, number in sent(script) if number == 0] == [0, 1, 3, 7]
    assert state(script) == (1, 5)


def test_duplicates_are_not_outstanding_at_a_timeout():
    """Twenty more of them let twenty segments out. The timeout halves the window that recovery began with (6.5), and not all that has no ACK."""
    script = DUPLICATES + "".join(f"0.{24 + i} ack 1\n" for i in range(20)) + "1.24 state\n"
    assert len(sent("sender 10\n" + script)) > 25
    for who in ("sender", "classic"):
        assert state(f"{who} 10\n" + script) == (1, 3.25)


def test_a_segment_after_a_timeout_can_halve_again():
    assert state("sender 10\n1.1 ack 4\n4 state\n")[1] < 5


def test_old_acks_and_window_updates_are_no_duplicates():
    old = "0.2 ack 3\n" + "".join(f"0.2{i} ack 2\n" for i in range(1, 6))
    assert [number for time, number in sent("sender 10\n" + old) if time > 0] == [10, 11, 12, 13]
    updates = "0.2 ack 3\n" + "".join(f"0.2{i} ack 3 50\n" for i in range(1, 6))
    assert [number for time, number in sent("sender 10\n" + updates) if time > 0] == [10, 11, 12, 13]
    duplicates = "0.2 ack 3\n" + "".join(f"0.2{i} ack 3\n" for i in range(1, 6))
    assert 3 in [number for time, number in sent("sender 10\n" + duplicates) if time > 0]


def test_the_receivers_window_holds_the_sender():
    assert of(sent("sender 10\n0.2 ack 10 3\n"), 0.2) == [10, 11, 12]
    assert of(sent("sender 10\n0.2 ack 10 0\n0.5 ack 10 2\n"), 0.5) == [10, 11]


def test_a_receiver_acknowledges_every_second_segment_or_after_a_while():
    assert acks("receiver 2\n1 segment 0\n1.01 segment 1\n2 segment 2\n3 segment 3\n") == [
        (1.01, 2, -1, False),
        (2.1, 3, -1, False),
    ]
    assert [next for _, next, *_ in acks("receiver 1\n1 segment 0\n1.01 segment 1\n")] == [1, 2]


def test_gaps_and_copies_are_acknowledged_at_once():
    found = acks("receiver 2\n1 segment 0\n1.01 segment 2\n1.02 segment 3\n1.03 segment 1\n1.04 segment 1\n")
    assert [(time, next) for time, next, *_ in found] == [(1.01, 1), (1.02, 1), (1.03, 4), (1.04, 4)]


def test_a_full_receiver_says_so_and_says_when_it_is_not():
    found = acks("receiver 1\n0.5 room 2\n1 segment 0\n1.1 segment 1\n1.2 segment 2\n2 room 1\n3 room 5\n")
    assert found == [(1, 1, 1, False), (1.1, 2, 0, False), (1.2, 2, 0, True), (2, 2, 1, True)]
