# SPDX-License-Identifier: Apache-2.0
"""What standards ask of whoever stands between two TCPs, each test named after the section, in each mode that it concerns."""

from typing import Any

import pytest
from scapy.layers.inet import ICMP, IP, TCP, IPerror
from scapy.layers.inet6 import ICMPv6PacketTooBig, IPv6
from scapy.packet import Raw

from arqlink.gateway.gateway import LAN, LINK

from .tcp_through import MSS, URG, Through, is_right, pattern

MODES = "clamp snoop split proxy".split()
VERSIONS = pytest.mark.parametrize("v6", [False, True], ids=["ipv4", "ipv6"])
EACH_MODE = pytest.mark.parametrize("mode", MODES)
STORING = pytest.mark.parametrize("mode", ["split", "proxy"])


def through(mode="split", cache=64, words="", **settings):
    return Through(f"cache {cache} 2048\nclass {mode} {words}", **settings).open()


def ecn_of(raw):
    """The two bits of ECN."""
    return (IPv6(raw).tc if raw[0] >> 4 == 6 else IP(raw).tos) & 3


# The timer ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["split", "proxy", "snoop"])
@pytest.mark.parametrize("opener", [LAN, LINK])
@pytest.mark.parametrize("seconds", [0.4, 0.9])
def test_rfc6298_section_2_the_handshake_is_the_first_round_trip(mode, opener, seconds):
    """A link that repeats what it loses may take longer than the second that is waited where no round trip is known."""
    t = Through(f"cache 64 2048\nclass {mode}", opener=opener).open(seconds)
    t.data(LAN, 0, MSS)
    assert t.wait(3 * seconds - 0.01)[1] == [] and t.count("timeouts") == 0
    assert [s.seq for s in t.wait(0.02)[1]] == [0] and t.count("timeouts") == 1


@pytest.mark.parametrize("mode", ["split", "proxy", "snoop"])
@pytest.mark.parametrize("opener", [LAN, LINK])
def test_rfc6298_section_3_a_syn_that_was_repeated_measures_no_round_trip(mode, opener):
    """Karn's rule: nobody knows which one the host beyond the link has answered."""
    t = Through(f"cache 64 2048\nclass {mode}", opener=opener).open(0.9, repeats=LAN)
    t.data(LAN, 0, MSS)
    assert t.wait(0.99)[1] == []
    assert [s.seq for s in t.wait(0.02)[1]] == [0]


# Selective acknowledgements ------------------------------------------------------------------------------------------------


@STORING
def test_rfc2018_section_4_the_first_block_has_the_segment_that_came_last(mode):
    t = through(mode)
    order = [2, 8, 4, 6, 3, 10, 1]
    told, last = [], None
    for i in order:
        [ack], _ = t.data(LAN, i * MSS, (i + 1) * MSS)
        first = ack.sack[0]
        assert first[0] <= i * MSS and (i + 1) * MSS <= first[1], "the one that came last"
        assert len(ack.sack) <= 3 and len(set(ack.sack)) == len(ack.sack)
        if last and not (first[0] <= last[0] < first[1]):
            assert ack.sack[1] == last, "then the one before"
        told, last = ack.sack, first
    assert told[0] == (MSS, 5 * MSS)
    [ack], _ = t.data(LAN, 8 * MSS, 9 * MSS)  # once more
    assert ack.sack[0] == (8 * MSS, 9 * MSS)
    [ack], _ = t.data(LAN, 0, MSS)
    assert ack.ack == 5 * MSS and ack.sack[0] == (8 * MSS, 9 * MSS)


# Windows ---------------------------------------------------------------------------------------------------------------------


@STORING
@pytest.mark.parametrize("advertise", ["room", "third"])
@pytest.mark.parametrize("lost", [[0], [0, 13], [0, 1, 2, 3, 9, 20], list(range(0, 27, 2))])
def test_rfc9293_section_3_8_6_what_a_window_promises_is_taken(mode, advertise, lost):
    """Whatever is missing: all that lies within the window, and comes ahead of gaps, is stored."""
    t = through(mode, cache=84, words=f"advertise={advertise}", timestamps=False, scale=(0, 0), window=(60000, 28 * MSS))
    edge = 28  # the receiver's own window, as its SYN says it, and a third of the cache
    for i in [i for i in range(edge) if i not in lost]:
        t.data(LAN, i * MSS, (i + 1) * MSS)
    assert t.count("cache_full") == 0
    acks = [t.data(LAN, i * MSS, (i + 1) * MSS)[0][-1] for i in lost]
    assert acks[-1].ack == edge * MSS


@pytest.mark.parametrize("mode", ["clamp", "split", "proxy"])
def test_rfc9293_section_3_8_6_who_answers_a_syn_tells_of_no_larger_window_before_the_opener_speaks(mode):
    """The answer came twice, say, and the host has answered the second SYN with an ACK."""
    t = Through(f"cache 4\nclass {mode} both", window=(60000, 60000))
    t.put(LAN, t.syn(LAN))
    t.put(LINK, t.syn(LINK))
    [syn] = t.out(LAN)
    t.put(LINK, t.packet(LINK))
    [ack] = t.out(LAN)
    assert ack.window << 7 <= syn.window < 60000
    t.put(LINK, t.packet(LINK, ack=500))  # the opener's data took another way
    assert t.out(LAN)[0].window == 60000


@STORING
@pytest.mark.parametrize("bytes_each", [1, 10, 100, 333, 700])
@pytest.mark.parametrize("ahead", [False, True])
def test_rfc9293_section_3_8_6_short_segments_fill_a_window_as_long_ones_do(mode, bytes_each, ahead):
    """A source that writes a few bytes at a time needs no slot for each: what has not left becomes one segment."""
    t = through(mode, cache=24, words="advertise=room", timestamps=False, scale=(0, 0), window=(60000, 0))
    edge = 4 * MSS
    acks = []
    for begin in range(bytes_each if ahead else 0, edge, bytes_each):
        acks, sent = t.data(LAN, begin, min(begin + bytes_each, edge))
        assert not [s for s in sent if s.data], "the receiver's window is closed"
    assert t.count("cache_full") == 0 and t.gateway.cache_used <= 9
    if ahead:
        acks, _ = t.data(LAN, 0, bytes_each)
    assert acks[-1].ack == edge
    _, sent = t.acknowledge(LINK, 0, window=8 * MSS)
    assert b"".join(s.data for s in sent) == pattern(0, edge) and all(len(s.data) <= MSS for s in sent)


@VERSIONS
@pytest.mark.parametrize("mode", ["clamp", "split", "proxy"])
def test_rfc9293_section_3_8_6_a_repeated_syn_is_bounded_as_the_first_one(mode, v6):
    t = Through(f"cache 12\nclass {mode} both", v6=v6, window=(60000, 60000))
    for side in (LAN, LINK):
        seen = []
        for _ in range(2):
            t.put(side, t.syn(side))
            [syn] = t.out(1 - side)
            seen.append((syn.window, syn.raw[-20:]))
        assert seen[0] == seen[1] and seen[0][0] < 60000
    t.put(LAN, t.packet(LAN))
    t.out(LINK)
    t.put(LINK, t.syn(LINK))  # the ACK was lost behind the gateway
    [syn] = t.out(LAN)
    assert (syn.window, syn.raw[-20:]) == seen[0]


@pytest.mark.parametrize("window", [8000, MSS + 100])
def test_rfc9293_section_3_10_7_4_acks_begin_where_their_host_has_sent_last(window):
    """A gap may have been filled by another way, and then an ACK with the number before it would be old. Beyond the window it would be refused."""
    t = through(words="both", window=(window, 8000), scale=(0, 0))
    t.data(LINK, MSS, 2 * MSS)  # the one before went by
    [ack], _ = t.data(LAN, 0, MSS)
    assert ack.seq == min(2 * MSS, window)


# Timestamps --------------------------------------------------------------------------------------------------------------------


@STORING
@pytest.mark.parametrize("length", [1, 500, MSS])
def test_rfc7323_section_5_3_an_old_duplicate_is_not_taken(mode, length):
    """Its number has come round, and its time is that of four gigabytes ago."""
    t = through(mode)
    t.data(LAN, 0, MSS)
    t.acknowledge(LINK, MSS)
    t.now += 10
    t.data(LAN, MSS, 2 * MSS)
    old = (t.clock(LAN) - 9000, 1)
    to_lan, to_link = t.send(LAN, 2 * MSS, b"X" * length, ts=old)
    assert [(s.ack, s.data) for s in to_lan] == [(2 * MSS, b"")] and not to_link
    assert t.count("outdated") == 1
    _, sent = t.data(LAN, 2 * MSS, 3 * MSS)
    assert [s.data for s in sent] == [pattern(2 * MSS, 3 * MSS)]
    t.send(LAN, 4 * MSS, b"X" * length, ts=old)  # ahead of a gap
    t.data(LAN, 3 * MSS, 4 * MSS)
    _, sent = t.data(LAN, 4 * MSS, 5 * MSS)
    assert sent[-1].data == pattern(4 * MSS, 5 * MSS)


def test_rfc7323_section_5_3_an_old_duplicate_moves_no_sequence_number():
    """The receiver's own data pass, and so does an old duplicate in its name, which may lie far ahead. ACKs that are made for it keep its number: with
    another one they would lie beyond the source's window, and be refused."""
    t = through("split")
    t.data(LINK, 0, MSS)
    t.acknowledge(LAN, MSS)
    t.now += 10
    t.data(LINK, MSS, 2 * MSS)
    raw = t.packet(LINK, 4 * MSS, b"X" * MSS, ts=(t.clock(LINK) - 9000, 1))
    assert t.pass_through(LINK, raw) == [raw] and t.count("outdated") == 1
    [ack], _ = t.data(LAN, 0, MSS)
    assert (ack.seq, ack.ack) == (2 * MSS, MSS)


def test_rfc7323_section_5_3_of_an_old_duplicate_no_copy_is_kept():
    t = through("snoop")
    t.data(LAN, 0, MSS)
    t.acknowledge(LINK, MSS)
    t.now += 10
    t.data(LAN, MSS, 2 * MSS)
    t.acknowledge(LINK, 2 * MSS)
    raw = t.packet(LAN, 2 * MSS, b"X" * MSS, ts=(t.clock(LAN) - 9000, 1))
    assert t.pass_through(LAN, raw) == [raw] and t.gateway.cache_used == 0


@STORING
def test_rfc7323_section_5_5_a_timestamp_of_24_days_ago_makes_nothing_old(mode):
    """A host whose clock ticks each millisecond has gone half round."""
    t = through(mode)
    t.data(LAN, 0, MSS)
    t.acknowledge(LINK, MSS)
    ts = (t.clock(LAN) - 5000, t.clock(LINK))
    assert not t.send(LAN, MSS, pattern(MSS, 2 * MSS), ts=ts)[1]
    t.gateway.advance(t.now)
    t.now += 500  # within the time for which an idle entry is kept …
    for _ in range(25 * 24 * 8):
        t.send(LAN, MSS - 1, ts=ts)  # … and old keep-alives go on
        t.now += 450
    assert t.gateway.flows == 1
    assert t.send(LAN, MSS, pattern(MSS, 2 * MSS), ts=ts)[1][-1].data == pattern(MSS, 2 * MSS)


@STORING
def test_rfc7323_section_4_3_the_last_timestamp_in_sequence_is_echoed(mode):
    t = through(mode)
    t.data(LAN, 0, MSS)
    first = t.clock(LAN)
    t.now += 1
    [ack], _ = t.data(LAN, 2 * MSS, 3 * MSS)  # ahead of a gap
    assert ack.timestamps[1] == first
    t.now += 1
    [ack], _ = t.data(LAN, MSS, 2 * MSS)
    assert ack.timestamps[1] == t.clock(LAN)


# What has come by another way ---------------------------------------------------------------------------------------------------


@STORING
@VERSIONS
def test_rfc9293_section_3_10_7_4_a_gap_that_was_filled_by_another_way(mode, v6):
    """Fragments, say, or extension headers: the receiver has them, and its ACK says so."""
    t = through(mode, v6=v6)
    t.data(LAN, 0, MSS)
    t.data(LAN, 2 * MSS, 3 * MSS)
    to_lan, sent = t.acknowledge(LINK, 2 * MSS)
    assert [s.data for s in sent if s.data] == [pattern(2 * MSS, 3 * MSS)]
    assert to_lan and to_lan[-1].ack == 3 * MSS
    to_lan, sent = t.data(LAN, 3 * MSS, 4 * MSS)
    assert to_lan[-1].ack == 4 * MSS and sent
    t.acknowledge(LINK, 4 * MSS)
    assert t.gateway.cache_used == 0


@EACH_MODE
def test_rfc9293_section_3_10_7_4_the_last_of_the_data_took_another_way(mode):
    t = through(mode)
    t.data(LAN, 0, MSS)
    to_lan, _ = t.acknowledge(LINK, 2 * MSS)
    assert [s.ack for s in to_lan] == [2 * MSS]
    t.now += 0.1
    _, sent = t.data(LAN, 2 * MSS, 3 * MSS)
    assert [s.data for s in sent if s.data] == [pattern(2 * MSS, 3 * MSS)]
    t.acknowledge(LINK, 3 * MSS)
    assert t.gateway.cache_used == 0
    assert t.wait(5) == ([], [])


@STORING
@VERSIONS
def test_rfc5681_section_3_2_what_was_sent_again_in_vain_is_no_duplicate_ack_to_the_source(mode, v6):
    """After an outage that the link's ARQ has bridged, say: the receiver answers each copy, and Reno would take three answers for a loss."""
    t = through(mode, v6=v6)
    for i in range(5):
        t.data(LAN, i * MSS, (i + 1) * MSS)
    _, sent = t.wait(8)
    copies = sum(bool(s.data) for s in sent)
    assert copies >= 3 and t.count("timeouts") >= 3
    t.acknowledge(LINK, 5 * MSS)
    for _ in range(copies):
        to_lan, _ = t.acknowledge(LINK, 5 * MSS)
        assert not to_lan
    t.now += 10
    to_lan, _ = t.acknowledge(LINK, 5 * MSS)
    assert [s.ack for s in to_lan] == [5 * MSS], "it answers the source, whose segments take another way"


# Options that bind segments --------------------------------------------------------------------------------------------------------

BINDING = {
    "rfc2385": b"\x13\x12" + bytes(16) + b"\x01\x01",  # MD5
    "rfc5925": b"\x1d\x10\x01\x01" + bytes(12),  # authentication
    "rfc8684": b"\x1e\x0c\x01\x81" + bytes(8),  # multipath
    "rfc8547": b"\x45\x03\x20\x01",  # encryption is negotiated
    "unknown": b"\xfd\x04\x12\x34",
}


@EACH_MODE
@pytest.mark.parametrize("kind", BINDING)
def test_rfc_options_that_bind_segments_let_a_flow_pass(mode, kind):
    t = Through(f"class {mode}", window=(60000, 60000), mss=(9000, 9000))
    packets = [(LAN, with_options(t.syn(LAN), BINDING[kind])), (LINK, t.syn(LINK)), (LAN, t.packet(LAN))]
    packets += [(LAN, t.packet(LAN, 0, pattern(0, 500))), (LINK, t.packet(LINK, 0, ack=500))]
    for side, raw in packets:
        assert is_right(raw) and t.pass_through(side, raw) == [raw]
    assert t.count("flows_bound") == 1 and t.gateway.flows == 0


@pytest.mark.parametrize("options", [b"\x22\x02\x01\x01", b"\x1c\x04\x80\x05"], ids=["rfc7413 fast open", "rfc5482 user timeout"])
def test_options_that_bind_nothing_are_none_of_the_gateway_s_business(options):
    t = Through("class split")
    t.put(LAN, with_options(t.syn(LAN), options))
    t.put(LINK, t.syn(LINK))
    t.put(LAN, t.packet(LAN))
    t.take_all()
    [ack], [sent] = t.data(LAN, 0, 500)
    assert ack.ack == 500 and sent.data == pattern(0, 500) and t.count("flows_bound") == 0


def with_options(raw, more):
    """A SYN with further options in front."""
    packet: Any = IP(raw)
    tcp = bytes(packet[TCP])
    head = tcp[:12] + bytes([tcp[12] + (len(more) // 4 << 4)]) + tcp[13:16] + b"\0\0" + tcp[18:20]
    del packet.len, packet.chksum
    packet[IP].remove_payload()
    rebuilt = IP(bytes(packet / TCP(head + more + tcp[20:])))
    del rebuilt.len, rebuilt.chksum, rebuilt[TCP].chksum
    return bytes(rebuilt)


# The size of packets -----------------------------------------------------------------------------------------------------------------


def too_big(t, raw, mtu):
    """The answer of a router to a packet that went out at the link's port."""
    if t.v6:
        return bytes(IPv6(src="fd09::9", dst=IPv6(raw).src) / ICMPv6PacketTooBig(mtu=mtu) / Raw(raw[: 1280 - 48]))
    return bytes(IP(src="10.9.9.9", dst=IP(raw).src) / ICMP(type=3, code=4, nexthopmtu=mtu) / IPerror(raw[:28]))


@EACH_MODE
@VERSIONS
def test_rfc1191_section_3_1_syns_ask_for_segments_that_fit(mode, v6):
    t = Through(f"cache 64\nmtu 1000\nclass {mode}", v6=v6, mss=(1460, 1400), timestamps=False)
    longest = 1000 - (60 if v6 else 40)
    for side in (LAN, LINK):
        t.put(side, t.syn(side))
        raw = t.gateway.take(1 - side, t.now)
        assert is_right(raw) and dict((IPv6 if v6 else IP)(raw)[TCP].options[:1])["MSS"] == longest
    t.put(LAN, t.packet(LAN))
    assert len(t.out(LINK)) == 1
    small = Through("", shared=t.gateway, v6=v6, ports=(3, 80), mss=(500, 500), timestamps=False)
    assert small.pass_through(LAN, raw := small.syn(LAN))[0][-12:] == raw[-12:]


@VERSIONS
@pytest.mark.parametrize("mode", ["snoop", "split", "proxy"])
def test_rfc1191_section_6_5_copies_are_cut_to_what_passes(mode, v6):
    size = 1200
    t = through(mode, v6=v6, mss=(1400, 1400))
    mtu = 1280 if v6 else 700
    for i in range(3):
        t.put(LAN, t.packet(LAN, i * 1300, pattern(i * 1300, (i + 1) * 1300)))
    first, *_ = sent = t.gateway.all(LINK, t.now)
    assert len(sent) == 3
    if mode != "snoop":
        t.out(LAN)
    t.now += 0.05
    t.put(LINK, too_big(t, first, mtu))
    assert len(t.gateway.all(LAN, t.now)) == 1, "the source hears it too"
    again = [s for s in t.out(LINK) if s.data]
    assert t.count("too_big") == 1
    received = b""
    for s in again:
        assert len(s.raw) <= mtu and s.seq == len(received)
        received += s.data
    assert received == pattern(0, 3 * 1300)
    t.acknowledge(LINK, 3 * 1300)
    assert t.gateway.cache_used == 0
    # What follows is cut at once where the gateway sends it, and the source's own where it does not.
    _, sent = t.data(LAN, 3 * 1300, 4 * 1300)
    assert b"".join(s.data for s in sent) == pattern(3 * 1300, 4 * 1300)
    assert mode == "snoop" or all(len(s.raw) <= mtu for s in sent)
    assert size < mtu or not v6


@STORING
def test_rfc1191_section_6_5_a_part_that_is_acknowledged_is_not_sent_again(mode):
    t = through(mode, mss=(1400, 1400))
    [raw] = (t.put(LAN, t.packet(LAN, 0, pattern(0, 1400))), t.gateway.all(LINK, t.now))[1]
    t.out(LAN)
    t.put(LINK, too_big(t, raw, 576))
    t.gateway.all(LAN, t.now)
    parts = [s for s in t.out(LINK) if s.data]
    assert [s.end for s in parts] == [524, 1048, 1400]
    t.acknowledge(LINK, 524)
    t.now += 3
    _, again = t.wait(5)
    assert again and {s.seq for s in again if s.data} <= {524, 1048} and t.count("timeouts") >= 1


@EACH_MODE
@VERSIONS
def test_rfc5927_section_7_2_a_forged_message_changes_nothing(mode, v6):
    t = through(mode, v6=v6, mss=(1400, 1400))
    t.put(LAN, t.packet(LAN, 0, pattern(0, 1300)))
    [raw] = t.gateway.all(LINK, t.now)
    t.take_all()
    elsewhere = t.packet(LAN, 50000, pattern(0, 1300))
    other = Through("", v6=v6, ports=(7, 8)).packet(LAN, 0, pattern(0, 1300))
    message = too_big(t, raw, 1280)
    broken = message[:-1] + bytes([message[-1] ^ 1])
    for forged in (too_big(t, elsewhere, 1280), too_big(t, other, 1280), broken, too_big(t, raw, 9000)[:40], too_big(t, raw, 1300)[:-3]):
        assert t.pass_through(LINK, forged) == [forged]
        assert not t.gateway.all(LINK, t.now)
    assert t.count("too_big") == 0


@VERSIONS
@EACH_MODE
@pytest.mark.parametrize("padding", [1, 6, 18])
def test_rfc894_padding_of_ethernet_is_no_part_of_a_packet(mode, padding, v6):
    t = through(mode, v6=v6)
    t.put(LAN, t.packet(LAN, 0, b"four") + bytes(padding))
    assert [s.data for s in t.out(LINK) if s.data] == [b"four"]
    t.ack[LINK] = 4
    t.put(LINK, t.packet(LINK, 0) + bytes(padding))
    t.take_all()
    assert t.count("malformed") == 0 and t.gateway.cache_used == 0


# Urgent data ---------------------------------------------------------------------------------------------------------------------------


def test_rfc9293_section_3_8_5_an_urgent_pointer_moves_with_the_number():
    """A bare segment beyond what has left is moved back to it."""
    t = through(window=(8000, 8))  # a segment
    t.acknowledge(LINK, 0, window=8)
    for i in range(3):
        t.data(LAN, i * MSS, (i + 1) * MSS)
    _, [moved] = t.send(LAN, 3 * MSS, flags="AU", urgent=40)
    assert moved.seq == MSS and moved.flags & URG and moved.seq + moved.urgent == 3 * MSS + 40


# Challenges ------------------------------------------------------------------------------------------------------------------------------


@EACH_MODE
@pytest.mark.parametrize("owes", [True, False])
@pytest.mark.parametrize("cause", ["SYN", "RST"])
def test_rfc5961_section_3_and_4_a_challenge_passes_as_it_is(mode, owes, cause):
    """The receiver answers a SYN, or a reset that is not at the number it expects, with an ACK: whoever sent it proves by a reset at that number
    that it was no forgery."""
    t = through(mode)
    t.data(LAN, 0, MSS)
    if not owes:
        t.acknowledge(LINK, MSS)
    t.now += 0.1
    if cause == "SYN":
        fresh = Through("", shared=t.gateway, isn=(700000, 900000), now=t.now)
        fresh.pass_through(LAN, fresh.syn(LAN))
    else:
        assert len(t.pass_through(LAN, t.packet(LAN, MSS + 40, flags="R"))) == 1
    challenge = t.packet(LINK, 0, ack=0 if owes else MSS)
    [passed] = t.pass_through(LINK, challenge)
    seen = t.read(LAN, passed)
    assert (seen.seq, seen.ack) == (0, 0 if owes else MSS)
    reset = t.packet(LAN, 0 if owes else MSS, flags="R", options=[])
    assert t.pass_through(LAN, reset) == [reset]
    assert t.gateway.flows == (1 if owes and mode in ("split", "proxy") else 0)


# Congestion notification -------------------------------------------------------------------------------------------------------------------


@VERSIONS
@pytest.mark.parametrize("mode", ["snoop", "split", "proxy"])
@pytest.mark.parametrize("ecn", [1, 2, 3])
def test_rfc3168_section_6_1_5_what_is_sent_again_is_not_ecn_capable(mode, ecn, v6):
    t = through(mode, v6=v6, tos=0x48 | ecn)
    _, [sent] = t.data(LAN, 0, MSS)
    assert ecn_of(sent.raw) == ecn, "the first time it is the source's own"
    _, again = t.wait(1.2)
    assert again and {ecn_of(s.raw) for s in again} == {0}
    assert {s.dscp for s in again} == {0x12}


# A path that moves away ----------------------------------------------------------------------------------------------------------------------


@STORING
def test_a_return_path_that_moves_away_ends_in_a_clean_hand_back(mode):
    """The source sends what lies further behind what it was told of than any window reaches: so the receiver has told it, by another way, that it has
    all of that."""
    t = through(mode, cache=12, words="advertise=room give_up=60", timestamps=False, scale=(0, 0), window=(60000, 60000))
    edge, sent, acks = 12 * MSS, 0, []
    while sent < edge:
        acks, _ = t.data(LAN, sent, sent + MSS)
        sent += MSS
        edge = max([edge, *(a.ack + a.window for a in acks)])
    told = acks[-1].ack
    assert t.gateway.cache_used > 0
    for begin in range(edge + MSS, told + 65536 + MSS, MSS):
        assert t.count("handed_back") == 0 and t.gateway.cache_used > 0, "the receiver's window may reach so far"
        t.now += 0.02
        to_lan, to_link = t.data(LAN, begin, begin + MSS)
        assert not to_lan and pattern(begin, begin + MSS) in [s.data for s in to_link], "end to end"
    assert t.count("handed_back") == 1 and t.gateway.cache_used == 0
    assert t.wait(2000) == ([], []), "no reset, no retransmission"


@STORING
def test_a_return_path_that_comes_back_is_used_again(mode):
    t = through(mode, cache=12, words="advertise=room", timestamps=False, scale=(0, 0), window=(60000, 60000))
    for i in range(12):
        t.data(LAN, i * MSS, (i + 1) * MSS)
    for i in range(13, 20):
        t.data(LAN, i * MSS, (i + 1) * MSS)
    to_lan, _ = t.acknowledge(LINK, 20 * MSS)
    assert to_lan[-1].ack == 20 * MSS
    [ack], [sent] = t.data(LAN, 20 * MSS, 21 * MSS)
    assert ack.ack == 21 * MSS and sent.data == pattern(20 * MSS, 21 * MSS) and t.gateway.cache_used == 1


@STORING
def test_while_the_receiver_s_answers_go_by_no_debt_is_made(mode):
    """The source acknowledges data that have not come this way."""
    t = through(mode)
    t.data(LAN, 0, MSS)
    t.acknowledge(LINK, MSS)
    t.send(LAN, MSS, ack=3 * MSS)
    to_lan, [passed] = t.send(LAN, MSS, pattern(MSS, 2 * MSS), ack=3 * MSS)
    assert passed.data == pattern(MSS, 2 * MSS) and not to_lan and t.gateway.cache_used == 0
    assert t.wait(2000) == ([], [])


@STORING
def test_what_was_acknowledged_is_sent_again_although_the_answers_go_by(mode):
    """Until it is known to have arrived; and if that is never known, both hosts hear of it."""
    t = through(mode, words="give_up=60")
    t.data(LAN, 0, MSS)
    t.send(LAN, MSS, ack=3 * MSS)
    to_lan, again = t.wait(200)
    assert {s.data for s in again if s.data} == {pattern(0, MSS)}
    assert to_lan[-1].flags & 4 and again[-1].flags & 4 and t.count("flows_failed") == 1


@STORING
def test_one_byte_as_a_probe_of_a_closed_window_is_no_hand_back(mode):
    """RFC 9293, section 3.8.6.1: of some hosts it lies behind the edge."""
    t = through(mode, cache=4, words="advertise=room", timestamps=False, scale=(0, 0), window=(60000, 60000))
    edge, sent = 4 * MSS, 0
    while sent < edge:
        acks, _ = t.data(LAN, sent, sent + MSS)
        sent += MSS
        edge = max([edge, *(a.ack + a.window for a in acks)])
    for _ in range(3):
        t.data(LAN, edge, edge + 1)
    assert t.count("handed_back") == 0 and t.gateway.cache_used == 4


@STORING
def test_a_gap_that_the_receiver_has_filled_and_acknowledged_by_another_way(mode):
    """Neither the data nor their ACK have come this way: the source sends again what is behind them."""
    t = through(mode, timestamps=False)
    t.data(LAN, 0, MSS)
    t.acknowledge(LINK, MSS)
    for _ in range(4):
        t.data(LAN, 2 * MSS, 3 * MSS)
        t.now += 0.6
    _, [sent] = t.data(LAN, 2 * MSS, 3 * MSS)
    assert sent.data == pattern(2 * MSS, 3 * MSS), "the hosts have only each other"
    t.acknowledge(LINK, 3 * MSS)
    [ack], [sent] = t.data(LAN, 3 * MSS, 4 * MSS)
    assert ack.ack == 4 * MSS and sent.data == pattern(3 * MSS, 4 * MSS)
