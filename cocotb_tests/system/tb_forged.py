# SPDX-License-Identifier: Apache-2.0
"""One unit that should not be there, or two, reach an idle link end, and then its peer, the model, sends: progress comes back, within two
periods of POLL_TIMEOUT for the strikes, a restart and a round trip; what is lost meanwhile is counted."""

from dataclasses import replace

import cocotb

from cocotb_tests.lib.edges import rising_edges
from cocotb_tests.model.sender import INFINITE, Setting
from cocotb_tests.model.units import ControlUnit, DataUnit
from cocotb_tests.system.peer import BUILD, TIMES, PeerBench, peer_config

WINDOW = BUILD.window_frames
EACH = Setting(1, 1, 1, 0, INFINITE)
LONGEST = 3 * TIMES["POLL_TIMEOUT"] + TIMES["HELLO_INTERVAL"] + 20 * WINDOW
"""Clocks: a strike that begins within a period, two strikes, and the restart of both ends, which clears their tables."""


async def idle(dut):
    """A link that has carried some packets both ways, and is at rest."""
    bench = PeerBench(dut, setting=EACH, config=peer_config(EACH), seed=cocotb.RANDOM_SEED)
    await bench.start()
    await bench.until(lambda: bench.check.heard and bench.peer.heard, 30_000, "the start")
    bench.offer(one_frame(bench, 5), one_frame(bench, 5))
    await bench.settle()
    return bench


def one_frame(bench, count):
    return [bench.rng.randbytes(BUILD.unit_bytes - BUILD.crc_bytes) for _ in range(count)]


def control(bench, base=0, edge=0):
    """A control unit with the peer's present state, but for txBase and txEdge, which are that far ahead."""
    peer, check = bench.peer, bench.check
    return ControlUnit(
        epoch=peer.epoch, peer_known=True, peer_epoch=check.epoch, param=peer.tx.ack, tx_base=peer.tx.base + base, tx_edge=peer.tx.edge + edge,
        rx_base=check.sender.next_fsn, rx_next=check.sender.next_tsn, bitmap_base=check.sender.next_tsn // 32 * 32,
        bitmap=(1 << check.sender.next_tsn % 32) - 1,
    )  # fmt: skip


def data(bench, ahead, **fields):
    """A data unit that is a whole frame, the one that the peer sends `ahead` frames from now."""
    tx = bench.peer.tx
    payload = bench.rng.randbytes(BUILD.unit_bytes)
    return replace(DataUnit(0, True, True, bench.peer.epoch, 1, 1, 0, 0, tx.next_fsn + ahead, tx.next_tsn + ahead, payload), **fields)


async def progress(bench, units, count):
    """The units come, and then the peer has `count` packets of one frame. Afterwards fresh ones are delivered, all and in time."""
    before = bench.peer.counters["link_restarts"]
    for unit in units:
        bench.inject(unit.build())
        await rising_edges(bench.dut.aclk, 300)
    begun = bench.now
    offered = one_frame(bench, count)
    bench.offer([], offered)
    restarted = lambda: bench.peer.counters["link_restarts"] > before  # noqa: E731
    done = lambda: bench.at_rest and not bench.peer.backlog  # noqa: E731
    await bench.until(done, LONGEST + 30 * count * BUILD.data_unit_beats, "rest")
    assert bench.now - begun <= LONGEST + 30 * count * BUILD.data_unit_beats
    assert bench.peer.counters["link_restarts"] <= before + 1, "one restart is enough"
    reported = [await bench.registers.error(name) for name in ("resync", "peer_restart")]
    assert any(reported) == restarted(), f"restarted {restarted()}, ERROR.resync and ERROR.peer_restart {reported}"
    there, back = one_frame(bench, 8), one_frame(bench, 8)
    heard, delivered = len(bench.peer.delivered), []
    inner = bench.check.packet
    bench.check.packet = lambda packet, aborted=False: (delivered.append(packet), inner(packet, aborted))
    bench.offer(there, back)
    await bench.settle()
    assert [p for _, p in bench.peer.delivered[heard:]] == there and delivered == back
    return restarted()


@cocotb.test()
@cocotb.parametrize(ahead=[1, WINDOW // 2, WINDOW])
async def one_tx_base(dut, ahead):
    """It moves nothing, so all packets are delivered."""
    bench = await idle(dut)
    before = bench.check.delivered_count
    assert await progress(bench, [control(bench, base=ahead)], 2 * WINDOW) is False
    assert bench.check.delivered_count == before + 2 * WINDOW + 8
    await bench.check_counters()


@cocotb.test()
@cocotb.parametrize(ahead=[1, WINDOW // 2, WINDOW])
async def one_tx_edge(dut, ahead):
    """What is sent below it counts as failed. The peer refuses the reports until it has sent as much, and sends it again; if it sends too
    little for that, it restarts the link, and its packets are flushed."""
    bench = await idle(dut)
    before = bench.check.delivered_count
    restarted = await progress(bench, [control(bench, edge=ahead)], 2 * WINDOW)
    assert restarted or bench.check.delivered_count == before + 2 * WINDOW + 8


@cocotb.test()
async def one_tx_edge_and_few_packets(dut):
    """The peer never sends as much as the edge says: two strikes, and its restart says what is lost."""
    bench = await idle(dut)
    assert await progress(bench, [control(bench, edge=WINDOW // 2)], 3) is True


@cocotb.test()
@cocotb.parametrize(ahead=[(0, 1), (3, WINDOW // 2), (WINDOW // 2, WINDOW - 1)])
async def two_data_units(dut, ahead):
    """Two whole frames, packets of their own, that the peer has not sent yet. What it sends meanwhile is late, and it sends it again once it
    believes the reports, so no restart is needed."""
    bench = await idle(dut)
    assert await progress(bench, [data(bench, a) for a in ahead], 2 * WINDOW) is False


@cocotb.test()
@cocotb.parametrize(ahead=[0, 5, WINDOW // 2])
async def data_unit_without_eop(dut, ahead):
    """It begins a packet that has no end, and the packets behind it take more than half a window."""
    bench = await idle(dut)
    assert await progress(bench, [data(bench, ahead, eop=False)], WINDOW // 2 + 8 + ahead) is True


@cocotb.test()
async def data_unit_without_sop(dut):
    """It ends a packet that has no beginning."""
    bench = await idle(dut)
    assert await progress(bench, [data(bench, 0, sop=False)], WINDOW) is True
