# SPDX-License-Identifier: Apache-2.0
"""Writes office.pcap: three seconds of made-up office traffic behind a satellite modem. Always the same bytes."""

import random
from pathlib import Path

from scapy.layers.dns import DNS, DNSQR, DNSRR
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import PcapWriter

OUT = Path(__file__).with_name("office.pcap")
START = 1_700_000_000.0
HERE, GATEWAY = "02:00:00:00:00:01", "02:00:00:00:00:02"
HOST, RESOLVER = "192.0.2.10", "192.0.2.53"

rng = random.Random(4752)  # fixed seed: the capture is committed


def frame(source, target, *layers):
    macs = (HERE, GATEWAY) if source == HOST else (GATEWAY, HERE)
    packet = Ether(src=macs[0], dst=macs[1]) / IP(src=source, dst=target, id=rng.getrandbits(16))
    for layer in layers:
        packet /= layer
    return packet


def lookup(time, name, address):
    """A DNS question and its answer."""
    number, port = rng.getrandbits(16), rng.randrange(32768, 61000)
    question = DNSQR(qname=name)
    yield time, frame(HOST, RESOLVER, UDP(sport=port, dport=53), DNS(id=number, rd=1, qd=question))
    answer = DNS(id=number, qr=1, rd=1, ra=1, qd=question, an=DNSRR(rrname=name, rdata=address, ttl=300))
    yield time + 0.021, frame(RESOLVER, HOST, UDP(sport=53, dport=port), answer)


def download(time, server, request, length, port):
    """A TCP connection: handshake, request, `length` bytes of response with an ACK for every other segment, FINs."""
    sport, rtt = rng.randrange(32768, 61000), 0.03
    mine, theirs = rng.getrandbits(32), rng.getrandbits(32)

    def send(at, upward, flags, data=b""):
        nonlocal mine, theirs
        seq, ack = (mine, theirs) if upward else (theirs, mine)
        ports = dict(sport=sport, dport=port) if upward else dict(sport=port, dport=sport)
        ends = (HOST, server) if upward else (server, HOST)
        step = (len(data) + ("S" in flags or "F" in flags)) % 2**32
        mine, theirs = ((mine + step) % 2**32, theirs) if upward else (mine, (theirs + step) % 2**32)
        tcp = TCP(**ports, flags=flags, seq=seq, ack=0 if flags == "S" else ack, window=64240)
        return at, frame(*ends, tcp, data)

    yield send(time, True, "S")
    yield send(time + rtt, False, "SA")
    yield send(time + rtt + 0.0002, True, "A")
    yield send(time + rtt + 0.0006, True, "PA", request)
    at = time + 2 * rtt
    for i, begin in enumerate(range(0, length, 1448)):
        at += rng.expovariate(1 / 0.008)
        yield send(at, False, "PA", rng.randbytes(min(1448, length - begin)))
        if i % 2:
            yield send(at + 0.0004, True, "A")
    yield send(at + 0.001, True, "FA")
    yield send(at + 0.001 + rtt, False, "FA")
    yield send(at + 0.0012 + rtt, True, "A")


def traffic():
    yield from lookup(0.0, "www.example.org", "198.51.100.7")
    yield from download(0.05, "198.51.100.7", b"GET / HTTP/1.1\r\nHost: www.example.org\r\n\r\n", 70_000, 80)
    yield from lookup(0.9, "mail.example.net", "203.0.113.25")
    yield from download(0.95, "203.0.113.25", rng.randbytes(517), 45_000, 443)
    for i in range(6):
        echo = bytes(range(56))
        yield 0.3 + 0.45 * i, frame(HOST, "198.51.100.7", ICMP(type=8, id=77, seq=i), echo)
        yield 0.33 + 0.45 * i, frame("198.51.100.7", HOST, ICMP(type=0, id=77, seq=i), echo)
    for i in range(130):  # a voice call: 20 ms of G.711 in each RTP packet
        rtp = bytes([0x80, 0]) + i.to_bytes(2, "big") + (160 * i).to_bytes(4, "big") + b"\x0a\x0b\x0c\x0d"
        yield 0.2 + 0.02 * i, frame(HOST, "198.51.100.99", UDP(sport=16384, dport=16384), rtp + rng.randbytes(160))


def main():
    with PcapWriter(str(OUT), linktype=1, sync=False) as writer:
        for time, packet in sorted(traffic(), key=lambda entry: entry[0]):
            packet.time = START + round(time, 6)
            writer.write(packet)


if __name__ == "__main__":
    main()
