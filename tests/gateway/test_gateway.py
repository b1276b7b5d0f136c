# SPDX-License-Identifier: Apache-2.0
"""The rules of sim/gateway/README.md, one by one, on packets that scapy builds and checks. Real TCP is in test_gateway_linux.py."""

import re
import subprocess

import pytest
from scapy.layers.inet import ICMP, IP, TCP, UDP, fragment
from scapy.layers.inet6 import IPv6, IPv6ExtHdrDestOpt, IPv6ExtHdrFragment, IPv6ExtHdrHopByHop, IPv6ExtHdrRouting
from scapy.layers.ipsec import AH, ESP
from scapy.packet import Raw

from arqlink.errors import UserError
from arqlink.gateway import builds, words
from arqlink.gateway.gateway import LAN, LINK, Gateway
from tests import seeds

from .tcp_through import ACK, CWR, ECE, FIN, MSS, PSH, RST, SYN, URG, Through, described, is_right, pattern

MODES = "clamp snoop split proxy".split()
VERSIONS = pytest.mark.parametrize("v6", [False, True], ids=["ipv4", "ipv6"])
EACH_MODE = pytest.mark.parametrize("mode", MODES)


def through(mode="split", cache=64, more="", words="", **settings):
    """A connection that is open, by default in mode `split`."""
    return Through(f"cache {cache} 2048\n{more}\nclass {mode} {words}", **settings).open()


# Which packets -------------------------------------------------------------------------------------------------------------


def changed(raw, at, value):
    return raw[:at] + bytes([value]) + raw[at + 1 :]


def odd_packets(t):
    """Packets of an open connection that are none to treat, by their counters."""
    data = t.packet(LAN, 0, pattern(0, 100))
    head = 40 if t.v6 else 20
    ip = t.ip(LAN)
    segment = TCP(sport=t.ports[LAN], dport=t.ports[LINK], seq=t.isn[LAN] + 1, ack=t.isn[LINK] + 1, flags="A")
    assert is_right(data)
    yield "not_tcp", bytes(ip / UDP(sport=40000, dport=80) / Raw(b"datagram"))
    yield "not_tcp", bytes(ip / ESP(spi=7, seq=1, data=b"secret" * 9))
    yield "not_tcp", bytes(ip / AH(spi=7, seq=1, icv=b"\0" * 12) / segment)
    yield "not_tcp", b"\x50" + b"version five" * 5
    yield "bad_checksum", changed(data, len(data) - 1, data[-1] ^ 1)
    yield "bad_checksum", changed(data, head + 16, data[head + 16] ^ 0x80)
    yield "bad_checksum", changed(data, head + 17, data[head + 17] ^ 1)
    yield "malformed", data[:-1]
    yield "malformed", data[: head + 10]
    yield "malformed", data[:12]
    yield "malformed", changed(data, head + 12, 0x40)
    for options in (b"\x08\x00\x01\x01", b"\x08\x01\x01\x01", b"\x08\x20\x01\x01", b"\x01\x01\x01\x08", b"\x02\xff\0\0"):
        wrong = bytes(t.ip(LAN) / TCP(bytes(segment)[:12] + b"\x60" + bytes(segment)[13:20] + options))
        wrong = bytearray(wrong)
        wrong[head + 16 : head + 18] = b"\0\0"
        rebuilt = (IPv6 if t.v6 else IP)(bytes(wrong))
        total = Raw(bytes(wrong[head:]))
        raw = bytes(t.ip(LAN, **({"nh": 6} if t.v6 else {"proto": 6})) / total)
        yield "malformed", with_checksum(raw, rebuilt)
    if t.v6:
        for header in (IPv6ExtHdrHopByHop(), IPv6ExtHdrDestOpt(), IPv6ExtHdrRouting(), IPv6ExtHdrFragment(id=3, m=1)):
            yield "not_tcp", bytes(ip / header / segment / Raw(b"behind"))
    else:
        yield "not_tcp", bytes(ip / ICMP() / Raw(b"ping"))
        yield "bad_checksum", changed(data, 8, data[8] - 1)
        yield "malformed", changed(data, 0, 0x44)
        yield "malformed", changed(data, 0, 0x4F)[:30]
        for part in fragment(IP(t.packet(LAN, 0, pattern(0, 900))), fragsize=400):
            yield "fragments", bytes(part)


def with_checksum(raw, packet):
    """The TCP segment of an IP packet gets a right checksum, whatever is in it."""
    from scapy.layers.inet import in4_chksum
    from scapy.layers.inet6 import in6_chksum

    head = 40 if raw[0] >> 4 == 6 else 20
    segment = raw[head : head + 16] + b"\0\0" + raw[head + 18 :]
    value = in6_chksum(6, IPv6(raw), segment) if head == 40 else in4_chksum(6, packet, segment)
    return raw[:head] + segment[:16] + value.to_bytes(2, "big") + segment[18:]


@VERSIONS
@EACH_MODE
def test_what_is_not_treated_passes_byte_for_byte(mode, v6):
    t = through(mode, v6=v6)
    for reason, raw in odd_packets(t):
        before = t.gateway.counters()
        assert t.pass_through(LAN, raw) == [raw], reason
        after = t.gateway.counters()
        assert {name: after[name] - before[name] for name in after if after[name] != before[name]} == {"passed": 1, reason: 1}, raw.hex()
    assert t.gateway.cache_used == 0


@VERSIONS
def test_nothing_is_treated_without_a_class(v6):
    t = Through("cache 64", v6=v6)
    packets = [(LAN, t.syn(LAN)), (LINK, t.syn(LINK)), (LAN, t.packet(LAN)), (LAN, t.packet(LAN, 0, pattern(0, 500)))]
    for side, raw in packets:
        assert t.pass_through(side, raw) == [raw]
    assert t.gateway.flows == 0 and t.count("passed") == 4


def test_an_empty_packet_is_none():
    gateway = Gateway(described("class split"))
    gateway.receive(LAN, b"", 0)
    assert gateway.waiting(LINK) == 0
    assert gateway.counters()["malformed"] <= gateway.counters()["passed"]


@EACH_MODE
def test_a_segment_with_ip_options_is_treated(mode):
    t = through(mode)
    raw = bytes(IP(t.packet(LAN, 0, pattern(0, 301))))
    whole = IP(raw)
    whole.options = [b"\x94\x04\x00\x00"]  # router alert
    del whole.ihl, whole.len, whole.chksum
    t.put(LAN, bytes(whole))
    [sent] = t.out(LINK)
    assert sent.data == pattern(0, 301)
    assert t.count("not_tcp") == t.count("malformed") == 0


@VERSIONS
@pytest.mark.parametrize("missing", ["SYN", "SYN-ACK", "ACK"])
@EACH_MODE
def test_a_handshake_that_is_not_seen_whole_leaves_the_connection_alone(mode, missing, v6):
    t = Through(f"class {mode}", v6=v6)
    steps = {"SYN": (LAN, t.syn(LAN)), "SYN-ACK": (LINK, t.syn(LINK)), "ACK": (LAN, t.packet(LAN))}
    for name, (side, raw) in steps.items():
        if name != missing:
            t.pass_through(side, raw)
    if missing == "ACK":  # the data take the other route too; only ACKs of the other host's data are seen, later
        t.pass_through(LINK, t.packet(LINK, 0, pattern(0, 500)))
        raw = t.packet(LAN, 0, ack=500)
        assert t.pass_through(LAN, raw) == [raw]
        later = [(LAN, t.packet(LAN, 0, pattern(0, 500), ack=500)), (LINK, t.packet(LINK, 500, ack=500))]
    else:
        later = [(LAN, t.packet(LAN, 0, pattern(0, 500))), (LINK, t.packet(LINK, 0, ack=500))]
    for side, raw in later:
        assert t.pass_through(side, raw) == [raw]
    assert t.count("no_entry") >= 2 and t.count("cached") == t.count("acks_made") == 0


def test_a_segment_longer_than_a_slot_passes():
    """A source that sends longer ones than it was asked for."""
    t = Through("cache 64 512\nclass split", mss=(1460, 1460)).open()
    raw = t.packet(LAN, 0, pattern(0, 1400))
    [sent] = t.pass_through(LAN, raw)
    assert t.read(LINK, sent).data == pattern(0, 1400) and t.gateway.cache_used == 0


@EACH_MODE
def test_too_far_ahead_and_acks_of_nothing_pass_as_they_are(mode):
    t = through(mode, scale=(0, 0), window=(8000, 8000))
    far = t.packet(LAN, 70000, pattern(70000, 71000))
    assert t.pass_through(LAN, far) == [far]
    unsent = t.packet(LINK, 0, ack=70000)
    assert t.pass_through(LINK, unsent) == [unsent]
    assert t.count("implausible") == 2 and t.gateway.cache_used == 0


# Every output has right checksums: `read` checks each ------------------------------------------------------------------------


@VERSIONS
@pytest.mark.parametrize("timestamps", [True, False])
@pytest.mark.parametrize("cut", [1, 2, 333, 500, 999])
def test_a_trimmed_segment_has_right_lengths_and_checksums(cut, timestamps, v6):
    t = through(v6=v6, timestamps=timestamps, window=(8000, 0))
    t.data(LAN, 0, cut)
    t.send(LAN, 0, b"X" * cut + pattern(cut, MSS))  # the first `cut` bytes are here
    t.data(LAN, MSS + cut, 2 * MSS)
    t.send(LAN, MSS, pattern(MSS, MSS + cut) + b"X" * (MSS - cut))  # and the last ones
    _, sent = t.acknowledge(LINK, 0, window=8000)
    assert len(sent) == 2 and b"".join(s.data for s in sent) == pattern(0, 2 * MSS)


@VERSIONS
@pytest.mark.parametrize("padding", [1, 2, 3])
def test_options_at_odd_places(padding, v6):
    t = through(v6=v6)
    options = [("NOP", None)] * padding + [("Timestamp", (7654321, 200000)), ("SAck", (5001, 5005))]
    t.put(LAN, t.packet(LAN, 0, pattern(0, 501), options=options))
    [sent] = t.out(LINK)
    assert sent.data == pattern(0, 501) and sent.timestamps and sent.timestamps[0] == 7654321 and not sent.sack
    answer = [("NOP", None)] * padding + [("Timestamp", (300000, 1)), ("SAck", (1001 + 10, 1001 + 20))]
    t.put(LINK, t.packet(LINK, 0, b"reply", ack=0, options=answer))
    [early, reply] = t.out(LAN)
    assert early.ack == 501
    assert reply.ack == 501 and reply.data == b"reply" and reply.timestamps == (300000, 7654321) and not reply.sack


@VERSIONS
@EACH_MODE
def test_each_value_of_the_changed_fields_has_a_right_checksum(mode, v6):
    t = through(mode, v6=v6)
    for i in range(200):
        t.now += 0.0371 * (i % 7)
        t.data(LAN, i * 331, (i + 1) * 331, window=(i * 7919) % 65536)
        t.acknowledge(LINK, (i + 1) * 331, window=65535 - i * 211)
    assert t.gateway.cache_used == 0


# Modes: split ----------------------------------------------------------------------------------------------------------------


@VERSIONS
@pytest.mark.parametrize("opener", [LAN, LINK])
@pytest.mark.parametrize("sack", [True, False])
@pytest.mark.parametrize("timestamps", [True, False])
def test_data_are_stored_acknowledged_and_delivered(opener, sack, timestamps, v6):
    t = through(opener=opener, sack=sack, timestamps=timestamps, v6=v6, tos=0x48)
    [early], [sent] = t.data(LAN, 0, MSS)
    assert (early.ack, early.data, early.flags, early.dscp) == (MSS, b"", ACK, 0x12)
    assert sent.data == pattern(0, MSS) and (sent.timestamps is not None) == timestamps
    if timestamps:
        assert early.timestamps == (t.clock(LINK), t.clock(LAN))
    assert t.gateway.cache_used == 1
    assert t.acknowledge(LINK, MSS) == ([], [])
    assert t.gateway.cache_used == 0
    assert (t.count("cached"), t.count("acks_made"), t.count("acks_suppressed")) == (1, 1, 1)


@pytest.mark.parametrize("scale", [(7, 7), (0, 0), (14, 14), (2, 9), (None, None), (None, 7), (7, None)])
def test_the_window_of_a_made_ack_is_shifted_as_negotiated(scale):
    t = through(cache=40, scale=scale, timestamps=False)
    [early], _ = t.data(LAN, 0, MSS)
    shift = scale[1] if None not in scale else 0
    assert early.window == min(65535, (39 * MSS) >> shift)


def test_a_window_counts_what_is_free_of_the_cache():
    t = through(cache=10, timestamps=False, scale=(0, 0))
    edges = [t.data(LAN, i * MSS, (i + 1) * MSS)[0][0] for i in range(8)]
    assert [e.ack + e.window for e in edges] == [10 * MSS] * 8


@pytest.mark.parametrize("says", [True, False])
@pytest.mark.parametrize("mode", ["split", "clamp"])
def test_a_segment_that_is_too_long_does_not_count_for_a_slot(mode, says):
    """One that is longer than the receiver allows; or, if that did not say, longer than a slot."""
    t = Through(f"cache 10 2048\nclass {mode} advertise=room", timestamps=False, scale=(0, 0), window=(60000, 60000))
    t.pass_through(LAN, t.syn(LAN))
    t.pass_through(LINK, t.syn(LINK, options=None if says else [("WScale", 0)]))
    t.pass_through(LAN, t.packet(LAN))
    length = 1900 if says else 5000
    t.data(LAN, 0, length)
    acks = t.acknowledge(LINK, length)[0] + t.data(LAN, length, length + 100)[0] + t.acknowledge(LINK, length + 100)[0]
    assert acks and acks[-1].ack + acks[-1].window <= length + 100 + 10 * (MSS if says else 1900)


def test_an_early_ack_is_for_what_is_stored_alone():
    t = through()
    [dup], _ = t.data(LAN, MSS, 2 * MSS)
    assert dup.ack == 0 and dup.sack == [(MSS, 2 * MSS)]
    [dup], _ = t.data(LAN, 3 * MSS, 4 * MSS)
    assert dup.ack == 0 and sorted(dup.sack) == [(MSS, 2 * MSS), (3 * MSS, 4 * MSS)]
    [ack], sent = t.data(LAN, 0, MSS)
    assert ack.ack == 2 * MSS and ack.sack == [(3 * MSS, 4 * MSS)]
    assert [s.data for s in sent] == [pattern(0, MSS), pattern(MSS, 2 * MSS)]


def test_segments_without_room_are_neither_acknowledged_nor_sent():
    t = through(cache=4)
    for i in range(4):
        t.data(LAN, i * MSS, (i + 1) * MSS)
    [ack], sent = t.data(LAN, 4 * MSS, 5 * MSS)
    assert ack.ack == 4 * MSS and not sent and t.count("cache_full") == 1
    t.acknowledge(LINK, 4 * MSS)
    [ack], [sent] = t.data(LAN, 4 * MSS, 5 * MSS)
    assert ack.ack == 5 * MSS and sent.data == pattern(4 * MSS, 5 * MSS)


@pytest.mark.parametrize("gap", [1, 2, 5])
def test_segments_ahead_leave_room_for_what_fills_the_gap(gap):
    t = through(cache=8)
    for i in range(gap, 9):
        t.data(LAN, i * MSS, (i + 1) * MSS)
    assert t.gateway.cache_used == 8 - gap
    for i in range(gap - 1):
        t.data(LAN, i * MSS, (i + 1) * MSS)
    [ack], sent = t.data(LAN, (gap - 1) * MSS, gap * MSS)
    assert ack.ack == 8 * MSS and len(sent) == 9 - gap


def test_a_source_is_told_when_there_is_room_again():
    t = through(cache=8, timestamps=False, scale=(0, 0))
    acks = [t.data(LAN, i * MSS, (i + 1) * MSS)[0] for i in range(8)]
    assert [ack.window for ack in acks[-1]] == [0]
    to_lan = sum((t.acknowledge(LINK, (i + 1) * MSS)[0] for i in range(8)), [])
    assert to_lan and to_lan[-1].ack == 8 * MSS and to_lan[-1].window >= 4 * MSS
    assert len(to_lan) <= 2  # and not of each byte


@pytest.mark.parametrize("advertise", ["room", "third"])
@pytest.mark.parametrize("cache", [4, 5, 6, 8, 12])
def test_a_source_that_found_no_room_is_told_however_small_the_cache_is(cache, advertise):
    """Another connection has filled the cache."""
    description = f"cache {cache}\nclass split advertise={advertise}"
    other = Through(description, ports=(50000, 80), timestamps=False, scale=(0, 0), window=(8000, 20000)).open()
    t = Through(description, shared=other.gateway, timestamps=False, scale=(0, 0)).open()
    for i in range(cache):
        other.data(LAN, i * MSS, (i + 1) * MSS)
    assert t.gateway.cache_used == cache
    edge, begin = 0, 0
    [ack], _ = t.data(LAN, begin, MSS)
    edge = ack.ack + ack.window
    while ack.ack + MSS <= edge and ack.ack < 100 * MSS:  # whatever it was promised comes, and is dropped or stored
        acks, _ = t.data(LAN, ack.ack, ack.ack + MSS)
        if not acks or acks[-1].ack == ack.ack:
            break
        ack = acks[-1]
    to_lan = other.acknowledge(LINK, cache * MSS)[0]
    to_lan += t.out(LAN)
    if ack.window == 0:
        assert any(s.window >= MSS for s in to_lan)


@pytest.mark.parametrize("timestamps", [True, False])
@pytest.mark.parametrize("mode", ["split", "proxy"])
@pytest.mark.parametrize("advertise", ["room", "open", "third"])
@pytest.mark.parametrize("cache", [4, 5, 6, 9, 12, 24])
def test_a_source_whose_window_closed_is_told_as_soon_as_there_is_room(cache, advertise, mode, timestamps):
    """Another connection has all but one of the slots, and gives them back. What a source is told must not wait for more than there can be."""
    description = f"cache {cache}\nclass {mode} advertise={advertise}"
    settings = {"timestamps": timestamps, "scale": (0, 0), "window": (8000, 20000)}
    other = Through(description, ports=(50000, 80), **settings).open()
    t = Through(description, shared=other.gateway, **settings).open()
    for i in range(cache - 1):
        other.data(LAN, i * MSS, (i + 1) * MSS)
    end, [ack] = MSS, t.data(LAN, 0, MSS)[0]
    while end + MSS <= ack.ack + ack.window and end < 30 * MSS:  # whatever it was promised is dropped
        end += MSS
        ack = [ack, *t.data(LAN, end - MSS, end)[0]][-1]
    told = other.acknowledge(LINK, (cache - 1) * MSS)[0]  # of both connections: they count from the same numbers
    told += t.acknowledge(LINK, ack.ack)[0]
    assert max(s.ack + s.window for s in [ack, *told]) >= ack.ack + MSS


def test_a_source_that_sees_the_receiver_s_window_is_told_when_it_opens():
    t = through(words="advertise=receiver", timestamps=False, scale=(0, 0), window=(8000, 2 * MSS))
    for i in range(4):
        t.data(LAN, i * MSS, (i + 1) * MSS)
    assert t.acknowledge(LINK, 2 * MSS, window=0)[0] == []
    acks = [t.data(LAN, i * MSS, (i + 1) * MSS)[0][-1] for i in range(4, 6)]
    assert (acks[-1].ack, acks[-1].window) == (6 * MSS, 0)
    [told], sent = t.acknowledge(LINK, 2 * MSS, window=2 * MSS)
    assert (told.ack, told.window) == (6 * MSS, 2 * MSS) and [s.seq for s in sent] == [2 * MSS, 3 * MSS]


def test_the_fin_is_acknowledged_by_the_receiver_alone():
    t = through()
    to_lan, [sent] = t.data(LAN, 0, 500, flags="FA")
    assert [s.ack for s in to_lan] == [500] and sent.flags & FIN
    to_lan, _ = t.data(LAN, 0, 500, flags="FA")
    assert [s.ack for s in to_lan] == [500]
    to_lan, _ = t.acknowledge(LINK, 501)
    assert [s.ack for s in to_lan] == [501]
    assert t.gateway.flows == 0


def test_a_fin_alone_waits_for_the_receiver_too():
    t = through()
    t.data(LAN, 0, 500)
    t.acknowledge(LINK, 500)
    to_lan, [fin] = t.send(LAN, 500, flags="FA")
    assert [s.ack for s in to_lan] == [500] and fin.flags & FIN and fin.seq == 500
    [last], _ = t.acknowledge(LINK, 501)
    assert last.ack == 501


def test_ended_by_a_fin_the_other_direction_goes_on():
    t = through("proxy")
    t.send(LAN, 0, flags="FA")
    t.acknowledge(LINK, 1)
    to_lan, to_link = t.data(LINK, 0, MSS)
    assert [s.data for s in to_lan] == [pattern(0, MSS)] and [s.ack for s in to_link] == [MSS]


@EACH_MODE
def test_sequence_numbers_wrap(mode):
    t = through(mode, isn=(2**32 - 2500, 2**32 - 3), timestamps=False)
    received = b""
    for i in range(10):
        _, sent = t.data(LAN, i * MSS, (i + 1) * MSS)
        received += b"".join(s.data for s in sent)
        t.acknowledge(LINK, (i + 1) * MSS)
    t.data(LINK, 0, 600)
    to_lan, _ = t.data(LAN, 10 * MSS, 11 * MSS, ack=600)
    assert received == pattern(0, 10 * MSS) and t.count("implausible") == 0
    assert mode not in ("split", "proxy") or to_lan[-1].ack == 11 * MSS


def test_of_data_that_come_twice_the_first_are_kept():
    """Retransmissions with other cuts and other bytes, before the receiver's window opens."""
    t = through(window=(8000, 0))
    t.data(LAN, 0, 700)
    t.data(LAN, 1000, 1500)
    wrong = b"X" * 3000
    for begin, end in ((0, 300), (650, 720), (100, 1600), (650, 1100), (690, 1000), (1400, 2000), (0, 1000), (1999, 2001)):
        t.send(LAN, begin, wrong[: end - begin])
    _, sent = t.acknowledge(LINK, 0, window=8000)
    stream = bytearray(3000)
    for s in sent:
        assert stream[s.seq : s.end] == bytes(len(s.data)), "sent twice"
        stream[s.seq : s.end] = s.data
    assert stream[:700] == pattern(0, 700) and stream[1000:1500] == pattern(1000, 1500)
    assert stream[700:1000] == wrong[:300] and stream[1500:2001] == wrong[:501]


def test_a_segment_lost_behind_the_gateway_is_sent_again():
    t = through(sack=False)
    for i in range(6):
        t.data(LAN, i * MSS, (i + 1) * MSS)
    t.acknowledge(LINK, MSS)
    again = sum((t.acknowledge(LINK, MSS)[1] for _ in range(4)), [])
    assert [s.data for s in again] == [pattern(MSS, 2 * MSS)] and t.count("retransmissions") == 1
    t.now += 0.5
    assert t.acknowledge(LINK, 6 * MSS) == ([], []) and t.gateway.cache_used == 0


def test_duplicates_of_what_was_sent_again_are_no_loss_behind_it():
    """ACKs of all that was under way when a loss was seen, once more, may answer copies of it (RFC 6582, section 4.1); those of what came later count."""
    t = through(sack=False)
    for i in range(6):
        t.data(LAN, i * MSS, (i + 1) * MSS)
    t.acknowledge(LINK, MSS)
    for _ in range(3):
        t.acknowledge(LINK, MSS)
    t.now += 0.5
    t.acknowledge(LINK, 6 * MSS)
    for i in range(6, 11):
        t.data(LAN, i * MSS, (i + 1) * MSS)
    assert not any(t.acknowledge(LINK, 6 * MSS)[1] for _ in range(4))
    t.now += 0.1
    assert not t.acknowledge(LINK, 7 * MSS)[1]
    again = sum((t.acknowledge(LINK, 7 * MSS)[1] for _ in range(4)), [])
    assert [s.seq for s in again] == [7 * MSS] and t.count("retransmissions") == 2 and t.count("timeouts") == 0


def test_with_sack_all_that_is_missing_is_sent_again_and_nothing_else():
    t = through()
    t.acknowledge(LINK, 0)
    for i in range(10):
        t.data(LAN, i * MSS, (i + 1) * MSS)
    _, again = t.send(LINK, ack=0, sack=[(4 * MSS, 10 * MSS), (MSS, 2 * MSS)])
    assert sorted(s.seq for s in again) == [0, 2 * MSS, 3 * MSS]


def test_what_the_receiver_has_thrown_away_is_sent_again_after_a_timeout():
    """Blocks of SACK are no promise (RFC 2018, section 8): after a timeout all that is not acknowledged is sent again."""
    t = through()
    t.data(LAN, 0, MSS)
    t.now += 0.05
    t.acknowledge(LINK, MSS)
    for i in range(1, 4):
        t.data(LAN, i * MSS, (i + 1) * MSS)
    t.acknowledge(LINK, MSS, sack=[(2 * MSS, 3 * MSS)])
    _, again = t.wait(1.3)
    assert [s.seq for s in again] == [MSS] and t.count("timeouts") == 1
    t.now += 0.05
    assert sorted(s.seq for s in t.acknowledge(LINK, 2 * MSS)[1]) == [2 * MSS, 3 * MSS]


def test_what_is_sent_again_is_up_to_date():
    t = through()
    t.now += 0.1
    t.data(LAN, 0, MSS, sack=[(1, 2)])
    t.data(LINK, 0, 300)
    t.now += 0.3
    t.acknowledge(LAN, 300, seq=MSS, window=777)
    newest, latest = t.clock(LAN), t.clock(LINK)
    _, again = t.wait(1.5)
    assert [s.data for s in again] == [pattern(0, MSS)]
    assert again[0].ack == 300 and again[0].window == 777 and not again[0].sack
    assert again[0].timestamps[0] == newest and again[0].timestamps[1] <= latest
    assert t.count("timeouts") == 1


@pytest.mark.parametrize("mode", ["split", "snoop"])
def test_segments_that_waited_behind_a_loss_are_no_round_trips(mode):
    """They would make the local timer slow for long."""
    t = through(mode, sack=False)
    t.acknowledge(LINK, 0)
    place = 0
    for _ in range(8):
        t.now += 0.05
        t.data(LAN, place, place + MSS)
        t.data(LAN, place + MSS, place + 2 * MSS)
        _, again = t.wait(4)
        assert again, "the first one was lost"
        place += 2 * MSS
        t.acknowledge(LINK, place)
    t.data(LAN, place, place + MSS)
    assert t.gateway.deadline() - t.now < 1.1


def test_the_local_timer_backs_off_and_gives_up_with_resets_for_both():
    t = through(words="give_up=20")
    t.data(LINK, 0, 100)
    t.ack[LAN] = 100
    t.data(LAN, 0, MSS)
    times, resets = [], {}
    for _ in range(1200):
        to_lan, to_link = t.wait(0.1)
        times += [t.now for s in to_link if s.data]
        of_now = [(LAN, s.seq) for s in to_lan if s.flags & RST] + [(LINK, s.seq) for s in to_link if s.flags & RST]
        if of_now:
            resets[t.now] = of_now
    gaps = [b - a for a, b in zip(times, times[1:])]
    assert gaps == sorted(gaps) and gaps[-1] > 1.8 * gaps[0]
    assert all(each == [(LAN, 100), (LINK, 0), (LINK, MSS)] for each in resets.values()), "what each of them expects, or may expect"
    assert [b - a for a, b in zip(resets, list(resets)[1:])] == pytest.approx([1, 2, 4, 8, 16, 32], abs=0.11), "one may get lost"
    assert t.gateway.cache_used == 0 and t.count("flows_failed") == 1


def test_resets_reach_a_receiver_wherever_it_stands():
    """Its ACKs take another way, so nobody knows what it has got: RFC 5961 wants the number that it expects."""
    t = through(words="give_up=20")
    for i in range(3):
        t.data(LAN, i * MSS, (i + 1) * MSS)
    resets = set()
    for _ in range(400):
        resets |= {s.seq for s in t.wait(0.1)[1] if s.flags & RST}
    assert resets == {0, MSS, 2 * MSS, 3 * MSS}


@pytest.mark.parametrize("side", [LAN, LINK])
def test_a_host_that_has_not_heard_of_the_reset_is_told_again(side):
    """RFC 9293, section 3.10.7.1: as by a host that does not know the connection."""
    t = through(words="give_up=20")
    t.data(LAN, 0, MSS)
    t.wait(60)
    assert t.count("flows_failed") == 1
    for _ in range(3):
        seen = t.send(side, 0, pattern(0, 10), ack=7)[side]
        assert [(s.seq, s.flags) for s in seen] == [(7, RST)]
    reset = t.packet(side, 0, flags="R")
    assert t.pass_through(side, reset) == [reset], "a host's answer to a challenge of the other one"
    fresh = Through("", shared=t.gateway, isn=(70000, 90000), now=t.now).open()
    [ack], [sent] = fresh.data(LAN, 0, MSS)
    assert ack.ack == MSS and sent.data == pattern(0, MSS)


def test_the_memory_of_a_reset_ages():
    t = through(words="give_up=20")
    t.data(LAN, 0, MSS)
    t.wait(700)
    raw = t.packet(LAN, 0, pattern(0, 10))
    assert t.gateway.flows == 0 and t.pass_through(LAN, raw) == [raw]


def test_a_receiver_whose_window_stays_closed_and_is_silent_is_given_up():
    t = through(words="give_up=20", window=(8000, 0))
    t.data(LAN, 0, MSS)
    to_lan, to_link = t.wait(120)
    assert any(s.flags & RST for s in to_lan) and any(s.flags & RST for s in to_link)
    assert t.gateway.cache_used == 0


def test_a_receiver_whose_window_stays_closed_and_answers_is_not_given_up():
    t = through(words="give_up=20 max_rto=5", window=(8000, 0))
    t.data(LAN, 0, MSS)
    for _ in range(60):
        _, probes = t.wait(5)
        if probes:
            t.acknowledge(LINK, 0, window=0)
    assert t.gateway.flows == 1 and t.count("probes") > 30


def test_an_idle_connection_is_not_given_up_when_it_wakes():
    t = through(words="give_up=20", window=(8000, 0))
    t.wait(100)
    t.data(LAN, 0, MSS)
    t.wait(10)
    assert t.gateway.flows == 1


# The receiver's window -------------------------------------------------------------------------------------------------------


def test_a_closed_window_is_probed_and_kept():
    t = through(window=(8000, 0))
    to_lan, to_link = t.data(LAN, 0, MSS)
    assert [s.ack for s in to_lan] == [MSS]
    assert not any(s.data for s in to_link)
    _, probes = t.wait(1.1)
    assert len(probes) == 1 and probes[0].end <= 0 and t.count("probes") == 1
    assert not any(s.data for s in t.acknowledge(LINK, 0, window=0)[1])
    _, sent = t.acknowledge(LINK, 0, window=8)
    assert [s.data for s in sent] == [pattern(0, MSS)]


def test_a_window_smaller_than_a_segment_gets_as_much_as_it_has_room_for():
    t = through(window=(8000, 2))
    t.data(LAN, 0, MSS)
    received = 0
    for _ in range(10):
        _, sent = t.wait(2.5)
        for s in sent:
            assert s.end <= received + 256, "beyond the window"
            assert s.data == pattern(s.seq, s.end)
            received = max(received, s.end)
        t.acknowledge(LINK, received, window=2)
    assert received == MSS and t.gateway.cache_used == 0


def test_a_window_that_shrinks_is_kept_for_what_waits_at_the_port():
    t = through(window=(8000, 80))
    t.acknowledge(LINK, 0)
    for i in range(6):
        t.put(LAN, t.packet(LAN, i * MSS, pattern(i * MSS, (i + 1) * MSS)))
    assert t.read(LINK, t.gateway.take(LINK, t.now)).data == pattern(0, MSS)
    t.put(LINK, t.packet(LINK, 0, ack=MSS, window=8))  # 1024 bytes
    assert [s.end for s in t.out(LINK) if s.data] == [2 * MSS]
    _, sent = t.acknowledge(LINK, 2 * MSS, window=100)
    assert [s.seq for s in sent if s.data] == [2 * MSS, 3 * MSS, 4 * MSS, 5 * MSS]
    t.acknowledge(LINK, 6 * MSS)
    assert t.gateway.cache_used == 0


def test_a_probe_that_is_half_of_a_segment_at_a_port_that_stalls():
    """The receiver acknowledges the half while the segment waits for the port: the rest must go on."""
    t = through(window=(8000, 4))
    t.acknowledge(LINK, 0)
    t.data(LAN, 0, MSS)
    _, [probe] = t.wait(1.1)
    assert probe.data == pattern(0, 512)
    t.put(LINK, t.packet(LINK, 0, ack=0, window=100))  # older than the probe's answer; the port is not taken from
    t.put(LINK, t.packet(LINK, 0, ack=512, window=100))
    to_link = t.out(LINK) + t.wait(5)[1]
    assert any(s.seq <= 512 and s.end == MSS for s in to_link)


def test_acknowledgements_with_data_that_wait_are_not_held():
    t = through(window=(8000, 0))
    t.data(LINK, 0, 400)
    _, to_link = t.data(LAN, 0, MSS, ack=400)
    assert [(s.ack, s.data) for s in to_link] == [(400, b"")]


# Keep-alives and probes of the source ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["split", "proxy"])
@pytest.mark.parametrize("data", [b"", b"K"])
def test_a_keep_alive_is_answered_by_the_receiver_if_all_is_delivered(mode, data):
    t = through(mode)
    t.data(LAN, 0, MSS)
    t.acknowledge(LINK, MSS)
    to_lan, [asked] = t.send(LAN, MSS - 1, data)
    assert not to_lan and (asked.seq, asked.data) == (MSS - 1, data)
    [answer], _ = t.acknowledge(LINK, MSS)
    assert answer.ack == MSS


@pytest.mark.parametrize("mode", ["split", "proxy"])
@pytest.mark.parametrize("data", [b"", b"K"])
def test_a_keep_alive_is_answered_by_the_gateway_while_data_are_owed(mode, data):
    """An outage of the link longer than a keep-alive's patience must not end the connection."""
    t = through(mode)
    t.data(LAN, 0, MSS)
    to_lan, _ = t.send(LAN, MSS - 1, data)
    assert [s.ack for s in to_lan] == [MSS]


@pytest.mark.parametrize("mode", ["split", "proxy"])
@pytest.mark.parametrize("before", [1, 2, MSS - 1, MSS])
def test_what_is_sent_after_a_probe_is_no_older_than_the_probe(mode, before):
    """The probe is a second younger than the data that wait. A receiver that had heard of that would refuse them for ever."""
    t = through(mode)
    t.acknowledge(LINK, 0, window=8)  # a segment
    sent = [t.data(LAN, i * MSS, (i + 1) * MSS)[1] for i in range(3)]
    told = 3 * MSS
    t.now += 0.5
    _, [probe] = t.send(LAN, told - before)
    _, waited = t.acknowledge(LINK, MSS)
    stamps = [s.timestamps[0] for s in [*sum(sent, []), probe, *waited]]
    assert waited and stamps == sorted(stamps)


# Acknowledgements that are held --------------------------------------------------------------------------------------------------


def held(**settings):
    """Half of a cache of eight is in use: the ACKs of two more segments are held."""
    t = through(cache=8, words="reserve=0.5", timestamps=False, **settings)
    acks = [len(t.data(LAN, i * MSS, (i + 1) * MSS)[0]) for i in range(6)]
    assert acks == [1, 1, 1, 1, 0, 0] and t.count("acks_held") == 2
    return t


def test_acks_that_were_held_come_one_for_each_segment_in_a_burst():
    t = held()
    to_lan, _ = t.acknowledge(LINK, 2 * MSS)
    assert [s.ack for s in to_lan][:2] == [5 * MSS, 6 * MSS]


def test_what_the_receiver_acknowledges_is_never_held():
    t = held()
    to_lan, _ = t.acknowledge(LINK, 6 * MSS)
    assert to_lan[-1].ack == 6 * MSS
    assert not t.gateway.cache_used


# Clamp ---------------------------------------------------------------------------------------------------------------------------


def test_clamp_bounds_the_window_and_takes_no_edge_back():
    t = through("clamp", cache=12, words="advertise=room", timestamps=False, scale=(0, 0), window=(60000, 60000))
    edge = 0
    for i in range(30):
        begin = i * MSS
        _, [sent] = t.data(LAN, begin, begin + MSS)
        assert sent.data == pattern(begin, begin + MSS)
        if i % 3 == 2:
            [ack], _ = t.acknowledge(LINK, begin + MSS - 500 * (i % 2))
            assert ack.ack + ack.window >= edge
            assert ack.window <= 12 * MSS + 500
            edge = ack.ack + ack.window
    assert t.count("windows_clamped") == 10 and t.count("acks_made") == t.count("cached") == 0


def test_clamp_does_not_enlarge_a_window():
    t = through("clamp", cache=64, timestamps=False, scale=(0, 0))
    t.data(LAN, 0, MSS)
    [ack], _ = t.acknowledge(LINK, MSS, window=100)
    assert ack.window == 100


def test_clamp_gives_other_connections_what_one_does_not_use():
    first = Through("cache 10\nclass clamp advertise=room", timestamps=False, scale=(0, 0), window=(60000, 60000)).open()
    second = Through("", shared=first.gateway, ports=(40001, 80), timestamps=False, scale=(0, 0), window=(60000, 60000)).open()
    for i in range(6):
        first.data(LAN, i * MSS, (i + 1) * MSS)
    second.data(LAN, 0, MSS)
    assert first.gateway.cache_used == 7
    second.data(LAN, MSS, 2 * MSS)
    [ack], _ = second.acknowledge(LINK, 2 * MSS)
    assert ack.window >= 4 * MSS
    first.acknowledge(LINK, 6 * MSS)
    assert first.gateway.cache_used == 0


def test_clamp_counts_a_part_of_a_segment_as_one():
    """A slot holds one packet, however short it is."""
    t = through("clamp", cache=12, timestamps=False, scale=(0, 0), window=(60000, 60000))
    t.data(LAN, 0, MSS)
    t.data(LAN, MSS, MSS + 100)
    assert t.gateway.cache_used == 2
    t.acknowledge(LINK, 40)
    assert t.gateway.cache_used == 2
    t.acknowledge(LINK, 100)
    assert t.gateway.cache_used == 1


def test_an_old_ack_does_not_lift_the_clamp():
    t = through("clamp", cache=12, timestamps=False, scale=(0, 0), window=(60000, 60000))
    for i in range(4):
        t.data(LAN, i * MSS, (i + 1) * MSS)
    [ack], _ = t.acknowledge(LINK, 4 * MSS)
    [old], _ = t.acknowledge(LINK, 2 * MSS)
    assert old.ack + old.window <= ack.ack + ack.window


# Snoop -----------------------------------------------------------------------------------------------------------------------------


def test_snoop_makes_no_acks_and_sends_again_what_is_missing():
    t = through("snoop", sack=False)
    for i in range(5):
        to_lan, [sent] = t.data(LAN, i * MSS, (i + 1) * MSS)
        assert not to_lan and sent.data == pattern(i * MSS, (i + 1) * MSS)
    t.now += 0.05
    assert [s.ack for s in t.acknowledge(LINK, MSS)[0]] == [MSS]
    t.now += 0.05
    to_lan, again = t.acknowledge(LINK, MSS)
    assert not to_lan and [s.data for s in again] == [pattern(MSS, 2 * MSS)]
    for _ in range(3):
        assert t.acknowledge(LINK, MSS) == ([], [])
    assert [s.ack for s in t.acknowledge(LINK, 5 * MSS)[0]] == [5 * MSS]
    assert t.count("acks_made") == 0 and t.count("acks_suppressed") == 4 and t.gateway.cache_used == 0


def test_snoop_counts_the_duplicates_of_each_ack_anew():
    """Two of one and one of the next are not three that show a loss."""
    t = through("snoop", words="dupacks=3", sack=False)
    for i in range(5):
        t.data(LAN, i * MSS, (i + 1) * MSS)
    t.now += 0.05
    for ack in (1, 1, 1, 2, 2, 2):
        assert not t.acknowledge(LINK, ack * MSS)[1]
    assert [s.seq for s in t.acknowledge(LINK, 2 * MSS)[1]] == [2 * MSS]


def test_snoop_passes_duplicates_of_what_was_lost_before_it():
    t = through("snoop", sack=False)
    t.data(LAN, 0, MSS)
    t.data(LAN, 2 * MSS, 3 * MSS)
    t.acknowledge(LINK, MSS)
    for _ in range(3):
        to_lan, to_link = t.acknowledge(LINK, MSS)
        assert [s.ack for s in to_lan] == [MSS] and not to_link


def test_snoop_does_not_hide_what_its_own_queue_had_no_room_for():
    """That is congestion: the source must learn of it, and send the segment again by itself."""
    t = through("snoop", more="queue 2", sack=False)
    for i in range(3):
        t.put(LAN, t.packet(LAN, i * MSS, pattern(i * MSS, (i + 1) * MSS)))
    assert [s.seq for s in t.out(LINK)] == [0, MSS] and t.count("queue_full") == 1
    t.data(LAN, 3 * MSS, 4 * MSS)
    t.acknowledge(LINK, 2 * MSS)
    for _ in range(3):
        to_lan, to_link = t.acknowledge(LINK, 2 * MSS)
        assert [s.ack for s in to_lan] == [2 * MSS] and not to_link
    assert [s.seq for s in t.data(LAN, 2 * MSS, 3 * MSS)[1]] == [2 * MSS]


@pytest.mark.parametrize("sack", [True, False])
def test_snoop_passes_what_is_said_of_a_segment_that_the_source_has_sent_again(sack):
    """The source counts on duplicate ACKs and their blocks while it mends what congestion has taken (Balakrishnan et al., as `Snoop`)."""
    t = through("snoop", more="queue 2", sack=sack)
    for i in range(3):
        t.put(LAN, t.packet(LAN, i * MSS, pattern(i * MSS, (i + 1) * MSS)))
    assert [s.seq for s in t.out(LINK)] == [0, MSS] and t.count("queue_full") == 1
    for i in range(3, 9):
        t.data(LAN, i * MSS, (i + 1) * MSS)
    t.now += 0.05
    t.acknowledge(LINK, 2 * MSS)
    assert [s.seq for s in t.data(LAN, 2 * MSS, 3 * MSS)[1]] == [2 * MSS]
    for end in range(5, 9):
        blocks = [(3 * MSS, end * MSS)] if sack else []
        [ack], to_link = t.acknowledge(LINK, 2 * MSS, sack=blocks)
        assert ack.ack == 2 * MSS and ack.sack == blocks and not to_link
    assert t.count("acks_suppressed") == 0


def test_snoop_says_nothing_of_gaps_that_it_mends():
    """An ACK that goes on tells by its blocks that more is missing, which the source would take for congestion."""
    t = through("snoop")
    for i in range(9):
        t.data(LAN, i * MSS, (i + 1) * MSS)
    t.now += 0.05
    _, [again] = t.acknowledge(LINK, MSS, sack=[(2 * MSS, 3 * MSS)])
    assert again.seq == MSS
    t.now += 0.05
    [ack], [again] = t.acknowledge(LINK, 3 * MSS, sack=[(4 * MSS, 8 * MSS)])
    assert ack.ack == 3 * MSS and not ack.sack and ack.timestamps and again.seq == 3 * MSS
    assert t.acknowledge(LINK, 3 * MSS, sack=[(4 * MSS, 9 * MSS)]) == ([], [])


def test_snoop_passes_blocks_that_tell_of_what_was_lost_before_it():
    t = through("snoop")
    for i in (0, 1, 3, 4):
        t.data(LAN, i * MSS, (i + 1) * MSS)
    [ack], _ = t.acknowledge(LINK, 2 * MSS, sack=[(3 * MSS, 5 * MSS)])
    assert ack.sack == [(3 * MSS, 5 * MSS)]


def test_snoop_has_its_own_timer():
    t = through("snoop")
    t.data(LAN, 0, MSS)
    t.now += 0.05
    t.acknowledge(LINK, MSS)
    t.data(LAN, MSS, 2 * MSS)
    _, again = t.wait(0.45)
    assert [s.data for s in again] == [pattern(MSS, 2 * MSS)] and t.count("timeouts") == 1


def test_snoop_mends_all_that_was_lost_before_its_timer_ran_out():
    """The last segments of a transfer: no duplicate ACK shows them, and a timeout for each would take long."""
    t = through("snoop")
    t.data(LAN, 0, MSS)
    t.now += 0.05
    t.acknowledge(LINK, MSS)
    for i in range(1, 9):
        t.data(LAN, i * MSS, (i + 1) * MSS)
    _, again = t.wait(0.45)
    for i in range(1, 8):
        assert [s.seq for s in again] == [i * MSS]
        t.now += 0.05
        _, again = t.acknowledge(LINK, (i + 1) * MSS)
    assert t.count("timeouts") == 1


def test_snoop_passes_window_updates_and_answers_of_a_closed_window():
    t = through("snoop", sack=False)
    for i in range(2):
        t.data(LAN, i * MSS, (i + 1) * MSS)
    assert len(t.acknowledge(LINK, MSS, window=0)[0]) == 1
    for _ in range(4):  # the source probes; its next byte is in the cache
        t.now += 1
        t.send(LAN, MSS, pattern(MSS, MSS + 1))
        assert len(t.acknowledge(LINK, MSS, window=0)[0]) == 1, "an answer to a probe must arrive"
    assert len(t.acknowledge(LINK, MSS, window=50)[0]) == 1


def test_snoop_passes_that_a_window_opens_whatever_is_missing():
    """The source may wait for nothing else."""
    t = through("snoop")
    for i in range(4):
        t.data(LAN, i * MSS, (i + 1) * MSS)
    blocks = [(2 * MSS, 3 * MSS)]
    assert len(t.acknowledge(LINK, MSS, window=0, sack=blocks)[0]) == 1
    [ack], [again] = t.acknowledge(LINK, MSS, window=8000, sack=blocks)
    assert ack.window == 8000 and not ack.sack and again.seq == MSS
    assert t.acknowledge(LINK, MSS, window=8000, sack=blocks)[0] == []


def test_snoop_passes_what_a_receiver_answers_to_a_syn():
    """An ACK of its old connection, of which a segment is missing (RFC 5961, section 4): the source answers with a reset."""
    t = through("snoop", sack=False)
    t.data(LAN, 0, MSS)
    fresh = again(t, (700000, 900000))
    fresh.pass_through(LAN, fresh.syn(LAN))
    assert [s.ack for s in t.acknowledge(LINK, 0)[0]] == [0]
    assert t.acknowledge(LINK, 0)[0] == []


def test_the_timer_of_snoop_leaves_alone_what_is_behind_a_gap():
    """The receiver has it; what it lacks, and the gateway too, is the source's business."""
    t = through("snoop", more="queue 2")
    t.data(LAN, 0, MSS)
    t.now += 0.05
    t.acknowledge(LINK, MSS)
    for i in range(1, 4):
        t.put(LAN, t.packet(LAN, i * MSS, pattern(i * MSS, (i + 1) * MSS)))
    assert [s.seq for s in t.out(LINK)] == [MSS, 2 * MSS] and t.count("queue_full") == 1
    t.data(LAN, 4 * MSS, 5 * MSS)
    t.acknowledge(LINK, 3 * MSS)
    assert t.wait(3)[1] == [] and t.count("timeouts") == 0
    t.data(LAN, 3 * MSS, 4 * MSS)
    _, sent = t.wait(0.5)
    assert [s.seq for s in sent] == [3 * MSS]


def test_snoop_knows_a_fin_for_which_it_had_no_room():
    t = through("snoop", cache=4)
    for i in range(5):
        t.data(LAN, i * MSS, (i + 1) * MSS, flags="FA" if i == 4 else "A")
    assert t.count("cache_full") == 1
    t.acknowledge(LINK, 5 * MSS + 1)
    assert t.gateway.flows == 0


# Proxy -----------------------------------------------------------------------------------------------------------------------------


def test_proxy_acknowledges_what_it_stores_and_sends_a_third_of_the_cache():
    """Luglio et al., section IV.B."""
    t = through("proxy", cache=12, timestamps=False, scale=(0, 0), window=(60000, 60000))
    for i in range(5):
        t.put(LAN, t.packet(LAN, i * MSS, pattern(i * MSS, (i + 1) * MSS)))
        [ack] = t.out(LAN)
        assert ack.ack == (i + 1) * MSS and ack.window <= 4 * MSS
    assert [s.seq for s in t.out(LINK)] == [0, MSS, 2 * MSS, 3 * MSS]
    assert t.gateway.cache_used == 5 and t.count("retransmissions") == 0
    _, sent = t.acknowledge(LINK, 2 * MSS)
    assert [s.seq for s in sent] == [4 * MSS]


def test_proxy_treats_both_directions_and_no_ack_of_a_host_goes_through():
    t = through("proxy", timestamps=False)
    for side in (LAN, LINK):
        back, there = t.data(side, 0, MSS)[:: 1 if side == LAN else -1]
        assert [s.ack for s in back] == [MSS] and [s.data for s in there] == [pattern(0, MSS)]
    assert t.acknowledge(LINK, MSS, seq=MSS) == ([], [])
    assert t.acknowledge(LAN, MSS, seq=MSS) == ([], [])
    assert t.gateway.cache_used == 0


class Rounds:
    """A receiver at 0.5 s, and a source that always has data: what is sent in each round trip."""

    def __init__(self, sender):
        self.t = through("proxy", cache=300, words=f"sender={sender}", timestamps=False, sack=False)
        self.t.acknowledge(LINK, 0)
        self.fed, self.expected, self.arrived = 0, 0, set()
        self.under_way = self.feed()

    def feed(self):
        sent = []
        while self.t.gateway.cache_used < 200:
            sent += self.t.data(LAN, self.fed, self.fed + MSS)[1]
            self.fed += MSS
        return [s for s in sent if s.data]

    def next(self, lost):
        """How many were sent; of those, the first `lost` are lost."""
        count, arriving, self.under_way = len(self.under_way), self.under_way[lost:], []
        self.t.now += 0.5
        for s in arriving:
            self.arrived.add(s.seq)
            while self.expected in self.arrived:
                self.expected += MSS
            self.under_way += self.t.acknowledge(LINK, self.expected)[1]
        self.under_way += self.feed()
        return count


@pytest.mark.parametrize(("sender", "share"), [("newreno", 0.5), ("westwood", 1.0)])
def test_proxy_sends_less_after_a_loss(sender, share):
    """`share`: of the rate before a timeout, to which slow start goes again: half of it, or all that has arrived."""
    rounds = Rounds(sender)
    assert [rounds.next(0) for _ in range(4)] == [4, 8, 16, 32]
    before = rounds.next(1)
    assert before == 64
    rounds.next(0)  # the retransmission is in it
    after = [rounds.next(0) for _ in range(3)]
    assert rounds.t.count("retransmissions") == 1 and rounds.t.count("timeouts") == 0
    assert 8 <= max(after) <= 40
    assert after[2] - after[1] <= 2, "no slow start any more"
    rounds.next(1000)
    _, alone = rounds.t.wait(1.3)
    assert len(alone) == rounds.t.count("timeouts") == 1, "a timeout sends one segment"
    rounds.under_way = alone
    grown = [rounds.next(0) for _ in range(9)]
    assert grown[0] == 1 and abs(grown[6] - share * after[2]) <= 2, "slow start ends at a threshold that the timeout has set anew"
    assert grown[8] - grown[7] == 1


@pytest.mark.parametrize(("seconds", "timeouts"), [(0.7, 1), (2.7, 2)])
def test_a_timeout_in_recovery_halves_the_window_and_not_what_duplicates_let_out(seconds, timeouts):
    """The retransmission is lost as well, so duplicate ACKs let more and more segments out. A second timeout halves nothing more."""
    rounds = Rounds("newreno")
    assert [rounds.next(0) for _ in range(4)] == [4, 8, 16, 32] and rounds.next(1) == 64
    lost = rounds.expected
    rounds.under_way = [s for s in rounds.under_way if s.seq != lost]
    sent = 64 + rounds.next(0) + len(rounds.under_way)
    *_, again = rounds.t.wait(seconds)[1]
    assert again.seq == lost == rounds.expected and rounds.t.count("timeouts") == timeouts and sent > 120
    rounds.under_way = [again]
    grown = [rounds.next(0) for _ in range(8)]
    assert grown[0] == 1 and abs(grown[5] - 16) <= 2 and grown[6] - grown[5] == grown[7] - grown[6] == 1, (grown, sent)


# Resets ------------------------------------------------------------------------------------------------------------------------------


@EACH_MODE
@pytest.mark.parametrize("side", [LAN, LINK])
def test_a_reset_passes_and_ends_the_flow(mode, side):
    t = through(mode)
    t.data(LAN, 0, MSS)
    to_lan, to_link = t.send(side, MSS if side == LAN else 0, flags="RA")
    seen = to_link if side == LAN else to_lan
    assert [s.flags & RST for s in seen] == [RST] and seen[0].seq == (MSS if side == LAN else 0)
    assert t.gateway.flows == t.gateway.cache_used == 0


@EACH_MODE
def test_a_forged_reset_passes_and_ends_nothing(mode):
    t = through(mode)
    t.data(LAN, 0, MSS)
    for seq in (MSS + 500, 50, 100000):
        raw = t.packet(LAN, seq, flags="R")
        assert t.pass_through(LAN, raw) == [raw]
    assert t.gateway.flows == 1


def test_a_reset_after_data_that_have_not_left_is_one_that_the_receiver_believes():
    t = through()
    for i in range(3):
        t.put(LAN, t.packet(LAN, i * MSS, pattern(i * MSS, (i + 1) * MSS)))
    assert t.read(LINK, t.gateway.take(LINK, t.now)).end == MSS
    t.put(LAN, t.packet(LAN, 3 * MSS, flags="RA"))
    assert [(s.seq, s.flags & RST) for s in t.out(LINK)] == [(MSS, RST)]


def test_a_host_that_restarted_resets_at_what_the_gateway_acknowledged():
    """It answers a segment of the gateway with a reset at the number that this one acknowledges (RFC 9293, section 3.10.7.1)."""
    t = through()
    t.data(LAN, 0, MSS)
    t.data(LAN, 2 * MSS, 3 * MSS)  # it has sent more than is acknowledged
    t.put(LINK, t.packet(LINK, 0, b"hello?"))
    [heard] = t.out(LAN)
    assert heard.ack == MSS
    _, [reset] = t.send(LAN, MSS, flags="R")
    assert reset.flags & RST and t.gateway.flows == 0


# Forged and old segments -------------------------------------------------------------------------------------------------------------


@EACH_MODE
def test_an_old_segment_changes_nothing_that_is_known_of_a_host(mode):
    t = through(mode, words="" if mode == "proxy" else "both")
    for side in (LAN, LINK):
        t.data(side, 0, MSS)
    t.acknowledge(LINK, MSS, seq=MSS)
    t.acknowledge(LAN, MSS, seq=MSS)
    used = t.gateway.cache_used
    t.now += 0.2
    for side in (LAN, LINK):
        t.put(side, t.packet(side, -30000, b"old", ack=-40000, window=1, ts=(5, 5)))
        t.put(side, t.packet(side, -30000, ack=-40000, window=1, ts=(2**30, 5)))
        t.take_all()
    assert t.gateway.cache_used == used
    t.now += 0.2
    _, sent = t.data(LAN, MSS, 2 * MSS, ack=MSS)
    assert [(s.ack, s.timestamps[0]) for s in sent if s.data] == [(MSS, t.clock(LAN))] and sent[0].window > 1
    if mode in ("split", "proxy"):
        to_lan, _ = t.data(LAN, 2 * MSS, 3 * MSS, ack=MSS)
        assert to_lan[-1].timestamps[0] < 2**29, "a forged timestamp of the receiver"
        assert to_lan[-1].timestamps[1] == t.clock(LAN)


def test_an_ack_from_outside_the_window_frees_nothing():
    """Whoever forges an ACK without knowing the receiver's sequence number must not make the gateway lose data."""
    t = through()
    t.acknowledge(LINK, 0)
    for i in range(3):
        t.data(LAN, i * MSS, (i + 1) * MSS)
    for seq in (-30000, -8, 2**24, 2**30):
        t.put(LINK, t.packet(LINK, seq, ack=3 * MSS))
        t.put(LINK, t.packet(LINK, seq, b"forged", ack=3 * MSS))
    t.take_all()
    assert t.gateway.cache_used == 3
    assert t.acknowledge(LINK, 3 * MSS) == ([], [])
    assert t.gateway.cache_used == 0


def test_an_ack_that_was_overtaken_does_not_take_a_window_back():
    t = through(window=(8000, 8))
    t.acknowledge(LINK, 0)
    t.data(LAN, 0, MSS)
    t.acknowledge(LINK, MSS)
    t.acknowledge(LINK, MSS // 2, window=0)
    _, sent = t.data(LAN, MSS, 2 * MSS)
    assert [s.data for s in sent if s.data] == [pattern(MSS, 2 * MSS)]


def test_a_segment_beyond_the_window_does_not_fill_the_cache_of_clamp():
    t = through("clamp", cache=20, words="advertise=room")
    t.data(LAN, 0, MSS)
    used = t.gateway.cache_used
    t.put(LAN, t.packet(LAN, 7 * 2**20, b"forged"))
    t.out(LINK)
    assert t.gateway.cache_used <= 20
    t.acknowledge(LINK, MSS)
    assert t.gateway.cache_used <= used + 20


def test_a_forged_timestamp_of_old_data_is_not_echoed():
    t = through()
    t.data(LAN, 0, MSS)
    t.now += 1
    t.data(LAN, MSS, 2 * MSS)
    to_lan, _ = t.data(LAN, 0, MSS, ts=(3, 3))
    assert to_lan[-1].timestamps[1] == t.clock(LAN)


# New connections on the same ports -----------------------------------------------------------------------------------------------------


def again(t, isn):
    """Another connection of the same ports."""
    return Through("", shared=t.gateway, isn=isn, now=t.now + 0.5)


@EACH_MODE
@pytest.mark.parametrize("owes", [True, False])
def test_a_forged_syn_does_not_end_a_connection(mode, owes):
    t = through(mode)
    t.data(LAN, 0, MSS)
    if not owes:
        t.acknowledge(LINK, MSS)
    forged = again(t, (777, 0))
    forged.pass_through(LAN, forged.syn(LAN))
    assert t.gateway.flows == 1
    if owes:
        t.acknowledge(LINK, MSS)
    t.now += 1
    to_lan, [sent] = t.data(LAN, MSS, 2 * MSS)
    assert sent.data == pattern(MSS, 2 * MSS)
    assert t.count("no_entry") == 0
    assert mode not in ("split", "proxy") or [s.ack for s in to_lan] == [2 * MSS]


@pytest.mark.parametrize("owes", [True, False])
def test_the_answer_to_a_syn_of_another_connection_ends_the_old_one(owes):
    t = through()
    t.data(LAN, 0, MSS)
    if not owes:
        t.acknowledge(LINK, MSS)
    fresh = again(t, (700000, 900000)).open()
    assert t.gateway.cache_used == 0 and t.gateway.flows == 1
    to_lan, [sent] = fresh.data(LAN, 0, MSS)
    assert [s.ack for s in to_lan] == [MSS] and sent.data == pattern(0, MSS)


@pytest.mark.parametrize("classes, acks, cached", [("class split", 1, 1), ("class snoop", 0, 1), ("class pass", 0, 0)])
def test_another_connection_of_the_same_ports_has_the_class_of_its_own_syn(classes, acks, cached):
    t = Through(f"cache 4\nclass proxy dscp=46\n{classes}", tos=46 << 2, timestamps=False).open()
    t.data(LAN, 0, MSS)
    fresh = Through("", shared=t.gateway, isn=(700000, 900000), timestamps=False)
    [syn] = fresh.pass_through(LAN, fresh.syn(LAN))
    assert fresh.read(LINK, syn).window == fresh.window[LAN], "the proxy would have bound it"
    fresh.pass_through(LINK, fresh.syn(LINK))
    fresh.pass_through(LAN, fresh.packet(LAN))
    to_lan, [sent] = fresh.data(LAN, 0, MSS)
    assert len(to_lan) == acks and sent.data == pattern(0, MSS)
    assert t.gateway.cache_used == cached == t.gateway.flows


@pytest.mark.parametrize("owes", [True, False])
def test_a_receiver_that_still_has_the_old_connection_can_say_so(owes):
    """It answers the SYN with an ACK (RFC 5961, section 4), which the opener answers with a reset."""
    t = through()
    t.data(LAN, 0, MSS)
    if not owes:
        t.acknowledge(LINK, MSS)
    fresh = again(t, (700000, 900000))
    fresh.pass_through(LAN, fresh.syn(LAN))
    challenge = t.packet(LINK, 0, ack=0 if owes else MSS)
    assert len(t.pass_through(LINK, challenge)) == 1
    _, [reset] = t.send(LAN, 0, flags="R") if not owes else t.send(LAN, 0, flags="R")
    assert reset.flags & RST


def test_a_syn_that_comes_twice_changes_nothing():
    t = through()
    t.data(LAN, 0, MSS)
    t.put(LAN, t.syn(LAN))
    assert len(t.out(LINK)) == 1 and t.gateway.cache_used == 1
    t.acknowledge(LINK, MSS)
    assert t.gateway.flows == 1 and t.gateway.cache_used == 0


def test_a_syn_with_data():
    t = Through("class split")
    t.put(LAN, t.syn(LAN, b"early"))
    t.out(LINK)
    t.put(LINK, t.syn(LINK, ack=5))
    t.out(LAN)
    t.put(LAN, t.packet(LAN, 5))
    t.out(LINK)
    [ack], [sent] = t.data(LAN, 5, 500)
    assert ack.ack == 500 and sent.data == pattern(5, 500) and t.gateway.flows == 1


def test_a_syn_whose_data_are_not_taken():
    t = Through("class split")
    t.put(LAN, t.syn(LAN, pattern(0, 5)))
    t.put(LINK, t.syn(LINK, ack=0))
    t.put(LAN, t.packet(LAN, 5))
    t.take_all()
    [ack], [sent] = t.data(LAN, 0, 500)
    assert ack.ack == 500 and sent.data == pattern(0, 500)


def test_a_simultaneous_open_passes():
    t = Through("class split")
    other = Through("", shared=t.gateway, opener=LINK)
    for side, raw in ((LAN, t.syn(LAN)), (LINK, other.syn(LINK)), (LAN, t.syn(LAN, flags="SA")), (LINK, t.syn(LINK))):
        assert len(t.pass_through(side, raw)) == 1
    raw = t.packet(LAN, 0, pattern(0, 500))
    assert t.pass_through(LAN, raw) == [raw] and t.gateway.flows == 0


# The table -----------------------------------------------------------------------------------------------------------------------------


def test_a_full_table_forgets_the_flow_that_was_not_used_for_longest():
    first = Through("flows 2\nclass split", ports=(1001, 80)).open()
    second = Through("", shared=first.gateway, ports=(1002, 80)).open()
    first.now = second.now = 2
    first.data(LAN, 0, MSS)
    first.acknowledge(LINK, MSS)
    early = Through("", shared=first.gateway, ports=(1004, 80), now=60).open()
    assert early.count("flows_refused") == 1, "what the second one was promised may be on its way"
    first.now = 60
    assert first.data(LAN, MSS, 2 * MSS)[0][0].ack == 2 * MSS
    first.acknowledge(LINK, 2 * MSS)
    third = Through("", shared=first.gateway, ports=(1003, 80), now=62.5).open()
    assert first.gateway.flows == 2 and third.count("flows_evicted") == 1
    third.data(LAN, 0, MSS)
    first.now = 63
    assert first.data(LAN, 2 * MSS, 3 * MSS)[0][0].ack == 3 * MSS
    second.now = 63.1
    raw = second.packet(LAN, 0, pattern(0, MSS))
    assert second.pass_through(LAN, raw) == [raw]


def test_flows_that_owe_keep_their_entries():
    gateway = Gateway(described("flows 2\nidle 10\nclass split"))
    flows = [Through("", shared=gateway, ports=(port, 80)).open() for port in (1001, 1002)]
    for t in flows:
        t.data(LAN, 0, MSS)
    third = Through("", shared=gateway, ports=(1003, 80)).open()
    raw = third.packet(LAN, 0, pattern(0, MSS))
    assert third.pass_through(LAN, raw) == [raw]
    assert gateway.counters()["flows_refused"] == 1
    for t in flows:
        t.wait(30)
        assert t.gateway.flows == 2
    flows[1].acknowledge(LINK, MSS)
    flows[1].wait(12)
    assert gateway.flows == 1


def test_entries_age():
    t = through(more="idle 10")
    t.wait(9)
    assert t.gateway.flows == 1
    t.wait(3)
    assert t.gateway.flows == 0


@pytest.mark.parametrize("flows", range(3, 7))
def test_timers_that_run_out_together_do_so_in_the_order_of_the_entries(flows):
    """And not in that of their places in memory: the last connection has that of the first one, which was reset. What is sent again goes before
    what waits."""
    gateway = Gateway(described("class split"))
    first, *others = (Through("", shared=gateway, ports=(1000 + i, 80)).open() for i in range(flows))
    first.send(LAN, flags="RA")
    others.append(Through("", shared=gateway, ports=(1000 + flows, 80)).open())
    for t in others:
        t.data(LAN, 0, MSS)
    gateway.advance(5)
    ports = [IP(raw)[TCP].sport for raw in gateway.all(LINK, 5)]
    assert ports == [t.ports[LAN] for t in reversed(others)]


# Classes ---------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words, v6, ports, tos, matches",
    [
        ("local=10.1.0.0/16", False, (1, 2), 0, True),
        ("local=10.2.0.0/16", False, (1, 2), 0, False),
        ("local=10.0.0.0/14", False, (1, 2), 0, True),
        ("local=10.1.0.0/31", False, (1, 2), 0, True),
        ("local=10.1.0.1", False, (1, 2), 0, True),
        ("local=10.1.0.2", False, (1, 2), 0, False),
        ("remote=10.2.0.1/32", False, (1, 2), 0, True),
        ("remote=10.1.0.1/32", False, (1, 2), 0, False),
        ("remote=0.0.0.0/0", False, (1, 2), 0, True),
        ("remote=0.0.0.0/0", True, (1, 2), 0, False),
        ("local=fd01::/16", True, (1, 2), 0, True),
        ("local=fd00::/15", True, (1, 2), 0, True),
        ("local=fd02::/16", True, (1, 2), 0, False),
        ("ports=80", False, (999, 80), 0, True),
        ("ports=80", False, (80, 999), 0, True),
        ("ports=80-90", False, (91, 79), 0, False),
        ("ports=80-90", False, (91, 90), 0, True),
        ("dscp=46", False, (1, 2), 46 << 2, True),
        ("dscp=46", True, (1, 2), 46 << 2, True),
        ("dscp=46", False, (1, 2), 45 << 2, False),
        ("dscp=0", False, (1, 2), 3, True),
        ("dscp=46 ports=80", False, (1, 2), 46 << 2, False),
    ],
)
@pytest.mark.parametrize("opener", [LAN, LINK])
def test_a_class_matches(words, v6, ports, tos, matches, opener):
    t = Through(f"class split {words}", v6=v6, ports=ports, tos=tos, opener=opener).open()
    to_lan, _ = t.data(LAN, 0, MSS)
    assert bool(to_lan) == matches == bool(t.gateway.flows)


def test_the_first_class_that_matches_counts():
    description = "class pass ports=80\nclass snoop ports=80-81\nclass split"
    acks = []
    for port in (80, 81, 82):
        t = Through(description, ports=(999, port)).open()
        acks.append((len(t.data(LAN, 0, MSS)[0]), t.gateway.cache_used))
    assert acks == [(0, 0), (0, 1), (1, 1)]


def test_data_from_the_link_are_treated_if_the_class_says_so():
    for word, expected in (("", []), ("both", [MSS])):
        t = through(words=word)
        to_lan, to_link = t.data(LINK, 0, MSS)
        assert [s.data for s in to_lan] == [pattern(0, MSS)] and [s.ack for s in to_link] == expected


# Other fields ------------------------------------------------------------------------------------------------------------------------------


@EACH_MODE
def test_congestion_that_the_receiver_reports_reaches_the_source(mode):
    t = through(mode)
    t.data(LAN, 0, MSS)
    to_lan, _ = t.acknowledge(LINK, MSS, flags="AE")
    to_lan += t.data(LAN, MSS, 2 * MSS)[0]
    assert any(s.flags & ECE for s in to_lan)
    to_lan, _ = t.acknowledge(LINK, 2 * MSS)
    to_lan += t.data(LAN, 2 * MSS, 3 * MSS)[0]
    assert not any(s.flags & ECE for s in to_lan)


@pytest.mark.parametrize("mode", ["split", "proxy"])
def test_that_both_hosts_know_congestion_marks_is_no_report_of_congestion(mode):
    t = Through(f"class {mode}")
    for side, raw in ((LAN, t.syn(LAN, flags="SEC")), (LINK, t.syn(LINK, flags="SAE")), (LAN, t.packet(LAN))):
        t.pass_through(side, raw)
    [ack], _ = t.data(LAN, 0, MSS)
    assert not ack.flags & ECE


def test_urgent_data_keep_their_place_when_a_segment_is_cut():
    t = through(window=(8000, 0))
    t.data(LAN, 0, 300)
    t.send(LAN, 200, pattern(200, 900), flags="AU", urgent=500)
    t.send(LAN, 800, pattern(800, 1500), flags="AU", urgent=50)
    _, sent = t.acknowledge(LINK, 0, window=100)
    first, second, third = sent
    assert not first.flags & URG
    assert second.flags & URG and second.seq + second.urgent == 700
    assert third.seq == 900 and not third.flags & URG and third.urgent == 0
    assert b"".join(s.data for s in sent) == pattern(0, 1500)


def test_push_and_other_flags_stay():
    t = through()
    _, [sent] = t.data(LAN, 0, 100, flags="PAC")
    assert sent.flags == PSH | ACK | CWR


def test_the_window_of_a_syn_is_bounded_by_the_cache():
    t = Through("cache 8\nclass split", window=(60000, 60000))
    t.put(LAN, t.syn(LAN))
    assert t.out(LINK)[0].window == 60000, "data from the link are not treated"
    t.put(LINK, t.syn(LINK))
    answer = t.out(LAN)[0]
    assert answer.window == 8 * (MSS + 12) and answer.flags & SYN


# Counters, and the description ---------------------------------------------------------------------------------------------------------------


@EACH_MODE
def test_counters_add_up(mode):
    t = through(mode)
    for _, raw in odd_packets(t):
        t.pass_through(LAN, raw)
    for i in range(20):
        t.data(LAN, i * MSS, (i + 1) * MSS)
        t.data(LAN, i * MSS, (i + 1) * MSS)
        t.acknowledge(LINK, (i + 1) * MSS)
    stray = Through("", shared=t.gateway, ports=(3, 4))
    stray.pass_through(LAN, stray.packet(LAN, 0, b"stray"))
    t.send(LAN, 2**29, b"far")
    counts = t.gateway.counters()
    reasons = "not_tcp fragments malformed bad_checksum no_entry implausible".split()
    assert counts["passed"] == sum(counts[name] for name in reasons) + 2  # SYN and answer
    if mode in ("snoop", "split", "proxy"):
        assert counts["cached"] + counts["duplicates"] + counts["cache_full"] == 40
    if mode == "split":
        assert counts["acks_made"] == 40


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("", 'classes[0].mode is ""; it must be pass, clamp, snoop, split or proxy.'),
        ("tunnel", 'classes[0].mode is "tunnel"; it must be pass, clamp, snoop, split or proxy.'),
        ("split,speed=3", "'speed=3' is nothing that a gateway has; there are both, cache, "),
        ("split,both=no", "'both=no' is nothing that a gateway has"),
        ("split,sender=cubic", 'classes[0].sender is "cubic"; it must be window, newreno or westwood.'),
        ("split,advertise", "'advertise' of the gateway needs a value: write advertise=VALUE."),
        ("split,advertise=all", 'classes[0].advertise is "all"; it must be room, open, third or receiver.'),
        ("split,reserve=0", "share of the cache"),
        ("split,reserve=1.5", "share of the cache"),
        ("split,reserve=x", "'x' is not a number."),
        ("split,dupacks=0", "duplicate ACK"),
        ("split,dupacks=-1", "classes[0].dupacks is -1; it must be a whole number from 0 to 4294967295."),
        ("split,dupacks=1.5", "'1.5' is not a whole number."),
        ("split,min_rto=0", "timeout"),
        ("split,min_rto=5,max_rto=4", "timeout"),
        ("split,give_up=-1", "classes[0].give_up is -1.0; it must be 0 to 1e9 seconds."),
        ("split,give_up=nan", "'nan' is not a number."),
        ("split,ports=90-80", "first port"),
        ("split,ports=65536", "classes[0].ports[0] is 65536; it must be a whole number from 0 to 65535."),
        ("split,ports=1-x", "'x' is not a whole number."),
        ("split,dscp=64", "A DSCP is 0 to 63."),
        ("split,local=10.0.0", 'classes[0].local is "10.0.0"; it must be an address'),
        ("split,local=10.0.0.0/33", "32 bits"),
        ("split,local=10.0.0.0/", "ADDRESS/BITS"),
        ("split,remote=fd00::/129", "128 bits"),
        ("split,flows=0", "entry"),
        ("split,flows=16777217", "16777216 places at most"),
        ("split,cache=3", "four packets"),
        ("split,queue=0", "queue"),
        ("split,idle=-3", "idle is -3.0; it must be 0 to 1e9 seconds."),
        ("split,idle=1e10", "idle is 10000000000.0; it must be 0 to 1e9 seconds."),
    ],
)
def test_wrong_words_are_refused_with_a_sentence(text, sentence):
    with pytest.raises(UserError, match=re.escape(sentence)) as error:
        words.description(text, 1500)
    assert str(error.value).endswith(".")


@pytest.mark.parametrize(
    "description, sentence",
    [
        ({"colour": "red"}, '"colour" is not a key of a job.'),
        ({"classes": [{"mode": "split"}, {"mode": "split", "speed": 3}]}, '"classes[1].speed" is not a key of a job.'),
        ({"classes": [{}]}, "classes[0].mode is missing."),
        ({"classes": {"mode": "split"}}, "classes is an object; it must be a list."),
        ({"classes": [{"mode": "split", "both": 1}]}, "classes[0].both is 1; it must be true or false."),
        ({"classes": [{"mode": "split", "ports": [80]}]}, "classes[0].ports is a list of 1; it must be a list of 2."),
        ({"flows": "many"}, 'flows is "many"; it must be a whole number from 0 to 18446744073709551615.'),
        ({"cache": 8, "slot": 127}, "128 to 65535 bytes"),
        ({"idle": "long"}, 'idle is "long"; it must be a number.'),
    ],
)
def test_a_wrong_description_is_refused_with_a_sentence(description, sentence):
    with pytest.raises(UserError, match=re.escape(sentence)):
        Gateway(description)


def test_words_describe_a_gateway():
    described = words.description("split,both,ports=80-90,give_up=20,cache=64,sender=newreno", 9000)
    one = {"mode": "split", "both": True, "ports": [80, 90], "give_up": 20.0, "sender": "newreno"}
    assert described == {"cache": 64, "slot": 9000, "classes": [one]}


def test_a_port_s_queue_has_a_bound():
    t = through(more="queue 5")
    for _ in range(9):
        t.put(LAN, bytes(t.ip(LAN) / UDP() / Raw(b"x")))
    assert len(t.gateway.all(LINK, t.now)) == 5 and t.count("queue_full") == 4


# Hostile packets, and conversations over bad wires ---------------------------------------------------------------------------------------------


@pytest.mark.full  # a minute, most of it to build with the sanitizers
def test_fuzz():
    run = subprocess.run([builds.fuzzer(), "50000", str(seeds.seed_of("packets"))], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert re.search(r"50000 packets", run.stdout)
