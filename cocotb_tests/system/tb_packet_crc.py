# SPDX-License-Identifier: Apache-2.0
"""`ArqLink` built with packetCrc against the protocol model: traffic, and packets with wrong bytes in units whose own CRC is right."""

import random

import cocotb

from cocotb_tests.lib.edges import rising_edges
from cocotb_tests.model.sender import INFINITE, Setting
from cocotb_tests.model.units import CRC, HEADER, hidden_damage, parse, trailer
from cocotb_tests.system.peer import BUILD, PeerBench

random.seed(cocotb.RANDOM_SEED)
SEED = cocotb.RANDOM_SEED * 1000
assert BUILD.packet_crc


async def begin(dut, **options):
    bench = PeerBench(dut, **options)
    await bench.start()
    await bench.until(lambda: bench.check.heard and bench.peer.heard, 30_000, "the start")
    return bench


def damage(packet):
    """Another packet of the same length, a single bit of which differs."""
    bit = random.randrange(8 * len(packet))
    return (int.from_bytes(packet, "little") ^ 1 << bit).to_bytes(len(packet), "little")


@cocotb.test()
@cocotb.parametrize(in_order=[True, False], loss=[0, 0.1])
async def wrong_packets_are_dropped(dut, in_order, loss):
    """Units pass their CRC, and the packet they make has a wrong byte: it is dropped whole, counted and flagged; all others arrive."""
    setting = Setting(min(4, BUILD.max_k), min(4, BUILD.max_k) + 2, min(4, BUILD.max_k) + 2, 0, INFINITE)
    bench = await begin(dut, setting=setting, in_order=in_order, loss=(loss, loss), sink_share=0.7, seed=SEED + 1)
    packets = bench.packets(30, BUILD.max_packet_bytes - 1) + [bench.rng.randbytes(BUILD.max_packet_bytes)]
    wrong = {packets[i] for i in (0, 5, 6, 7, 17, 29)}
    # The CRC that goes with a wrong packet is that of the packet as it was before.
    bench.peer.tx.trailer = lambda packet: trailer(damage(packet) if packet in wrong else packet)
    there = bench.packets(10)
    bench.offer(there, packets)
    await bench.settle(400_000)
    counters = await bench.check_counters()
    assert counters["rx_packets_corrupt"] == len(wrong)
    assert bench.check.delivered_count == counters["rx_packets"] == len(packets) - len(wrong)
    assert [p for _, p in bench.peer.user.delivered] == there
    assert await bench.registers.error("packet_corrupt")
    assert not await bench.registers.error("packet_corrupt"), "stays set"


@cocotb.test()
@cocotb.parametrize(parity=[0, 2])
async def damaged_units_that_pass(dut, parity):
    """Now and then a payload is damaged on the line so that the unit's CRC does not see it, data and parity units, used for a repair or not. No packet
    leaves with wrong bytes."""
    k = min(4, BUILD.max_k)
    bench = await begin(dut, setting=Setting(k, k + parity, k + parity, 0, INFINITE), loss=(0.1, 0), seed=SEED + 4)
    room = 8 * BUILD.unit_bytes - 33
    pull, damaged = bench.peer.pull, []

    def line(now):
        raw = pull(now)
        if raw is not None and len(raw) == HEADER + BUILD.unit_bytes + CRC and raw[0] >> 4 & 3 != 1 and bench.rng.random() < 0.05:
            raw = hidden_damage(raw, 8 * HEADER + bench.rng.randrange(room))
            parse(raw, BUILD.unit_bytes)  # raises if it did not pass
            damaged.append(raw)
        return raw

    bench.peer.pull = line
    packets = bench.packets(40, 3 * k * BUILD.unit_bytes)
    bench.offer([], packets)
    await bench.settle(400_000)
    counters = await bench.check_counters()
    assert len(damaged) > 5 and 0 < counters["rx_packets_corrupt"] <= len(damaged)
    assert bench.check.delivered_count == len(packets) - counters["rx_packets_corrupt"]
    assert {p for _, p in bench.check.receiver.ready} <= set(packets), "wrong bytes were delivered"


@cocotb.test()
async def nothing_but_a_crc(dut):
    """Packets that hold no byte beside their CRC, or not even that, come from no good peer."""
    bench = await begin(dut, seed=SEED + 2)
    good = bench.packets(3)
    empty = [trailer(b""), b"\x01", b"\x02\x03\x04"]
    bench.peer.tx.trailer = lambda packet: b"" if packet in empty else trailer(packet)
    bench.offer([], [good[0], empty[0], good[1], empty[1], empty[2], good[2]])
    await bench.settle()
    counters = await bench.check_counters()
    assert counters["rx_packets_corrupt"] == 3 and bench.check.delivered_count == 3


@cocotb.test()
async def a_longer_packet_than_this_end_sends(dut):
    """The peer's longest packet may be longer than this end's, which has no room to hold it: it is dropped, and the next one arrives."""
    setting = Setting(min(8, BUILD.max_k), min(8, BUILD.max_k) + 2, min(8, BUILD.max_k) + 2, 0, INFINITE)
    bench = await begin(dut, setting=setting, seed=SEED + 3)
    bench.peer.tx.config.setting = setting
    long, good = bench.rng.randbytes(BUILD.max_packet_bytes + 100), bench.packets(3)
    # For the checker it is a wrong one: a packet that must not leave.
    bench.peer.tx.trailer = lambda packet: trailer(damage(packet) if packet == long else packet)
    bench.offer([], [good[0], long, good[1], long, good[2]])
    await bench.settle()
    counters = await bench.check_counters()
    assert counters["rx_packets_corrupt"] == 2 and bench.check.delivered_count == 3


@cocotb.test()
@cocotb.parametrize(at=[900, 1500, 2100])
async def restart_with_packets_held(dut, at):
    """A restart forgets the packets that wait for their CRC or the user; none of what follows is mistaken for a wrong packet."""
    bench = await begin(dut, seed=SEED + at, sink_share=0.3)
    bench.offer(bench.packets(30), bench.packets(30))
    await rising_edges(dut.aclk, at)
    bench.peer.now = bench.now
    bench.peer.reboot()
    await bench.until(lambda: bench.check.restarts and bench.check.heard, 20_000, "the restart")
    await bench.settle()
    assert (await bench.registers.counters(clear=True))["rx_packets_corrupt"] == 0
    bench.check.forget_counters()
    there, back = bench.packets(10), bench.packets(10)
    before = bench.check.delivered_count, len(bench.peer.user.delivered)
    bench.offer(there, back)
    await bench.settle()
    assert bench.check.delivered_count == before[0] + 10 and [p for _, p in bench.peer.user.delivered[before[1] :]] == there
    await bench.check_counters()
