# SPDX-License-Identifier: Apache-2.0
"""What happens to a pair of links besides random erasure: outages, restarts, bad packets, bad accesses, the worst losses."""

import random

import cocotb

from cocotb_tests.lib.edges import rising_edges
from cocotb_tests.lib.limits import built
from cocotb_tests.model.sender import INFINITE, Setting
from cocotb_tests.system.bench import SOAK, Bench, Scenario

BUILD = built()
random.seed(cocotb.RANDOM_SEED)
SEED = cocotb.RANDOM_SEED * 1000
UP, OUTAGE = 3, 4
RESTARTS = [2500, 2777] + [random.randint(1000, 8000) for _ in range(SOAK)]  # clocks
ALWAYS = Setting(4, 5, 6, 0, INFINITE)


async def begin(dut, scenario):
    bench = Bench(dut, BUILD, scenario)
    await bench.start()
    return bench


async def states(bench):
    return [await link.state() for link in bench.links]


@cocotb.test()
@cocotb.parametrize(in_order=[True, False])
async def half_of_all_units_lost(dut, in_order):
    """Just below 50 % both ways and infinite persistency: nothing is lost or reordered."""
    setting = Setting(2, 4, 5, 2, INFINITE)
    scenario = Scenario(SEED + 1, (setting, setting), (in_order, in_order), (80, 80), (0.49, 0.49), packets=(20, 10), longest=60)
    bench = await begin(dut, scenario)
    await bench.settle(bench.offer())
    await bench.check_counters()
    a, b = bench.checkers
    assert (b.delivered_count, a.delivered_count) == scenario.packets


@cocotb.test()
@cocotb.parametrize(delta=[0, 1, 3])
async def lost_packets_hold_up_nothing(dut, delta):
    """Finite persistency and heavy loss: all is delivered or given up in bounded time."""
    setting = Setting(3, 3, 4, 1, delta)
    scenario = Scenario(SEED + 20 + delta, (setting, setting), delay=(100, 100), loss=(0.4, 0.3), packets=(40, 10), longest=60)
    bench = await begin(dut, scenario)
    # each of delta + 1 transmissions costs at worst a few polls in a row; several frames wait at the same time
    await bench.settle(bench.offer(), limit=(delta + 1) * 12 * scenario.poll_timeout + 50_000)
    await bench.check_counters()
    assert bench.checkers[0].sender.counters["tx_packets_lost"] > 0


@cocotb.test()
@cocotb.parametrize(ways=[(0,), (1,), (0, 1)], delta=[0, 2])
async def outage(dut, ways, delta):
    """The channel goes dark one way or both with data under way. Data stops; failures do not count towards delta, but for those
    of last tries; afterwards everything goes on by itself."""
    setting = Setting(4, 4, 4, 0, delta)
    scenario = Scenario(
        SEED + 31, (setting, setting), delay=(300, 300), packets=(50, 50), longest=120, gap=300, keepalive=1000,
        outage_timeout=6000,
    )  # fmt: skip
    bench = await begin(dut, scenario)
    tasks = bench.offer()
    await rising_edges(dut.aclk, 3000)
    for link in bench.links:
        assert await link.error("link_up")
    await bench.outage(ways, True)
    await rising_edges(dut.aclk, 10_000)
    assert await states(bench) == [OUTAGE, OUTAGE]
    sent = [c.sender.next_tsn for c in bench.checkers]
    await rising_edges(dut.aclk, 3000)
    assert sent == [c.sender.next_tsn for c in bench.checkers], "data was sent during an outage"
    await bench.outage(ways, False)
    await bench.until(lambda: not any(c.outage for c in bench.checkers), 5000, "the end of the outage")
    await rising_edges(dut.aclk, 50)  # the checkers hear a unit with its last beat, the ends when it is verified and judged
    assert await states(bench) == [UP, UP]
    for link in bench.links:
        await link.write("KEEPALIVE", 1 << 20)
        await link.write("OUTAGE_TIMEOUT", 0)
        assert await link.error("outage")
        assert await link.error("link_up"), "data may flow again"
        assert not await link.error("link_down"), "an outage does not end the link"
    await bench.settle(tasks)
    await bench.check_counters()
    failed = sum(c.sender.counters["tx_outcomes_failed"] for c in bench.checkers)
    abandoned = sum(c.sender.counters["tx_frames_abandoned"] for c in bench.checkers)
    assert failed > 0 and abandoned == (failed if delta == 0 else 0)


@cocotb.test()
async def outage_without_freeze(dut):
    """outage_freeze off: what the outage erased counts towards delta."""
    setting = Setting(4, 4, 4, 0, 1)
    scenario = Scenario(
        SEED + 41, (setting, setting), delay=(300, 300), packets=(50, 0), longest=120, gap=300, keepalive=1000,
        outage_timeout=6000, freeze=False,
    )  # fmt: skip
    bench = await begin(dut, scenario)
    tasks = bench.offer()
    await rising_edges(dut.aclk, 3000)
    await bench.outage((0, 1), True)
    await rising_edges(dut.aclk, 9000)
    await bench.outage((0, 1), False)
    await bench.until(lambda: bench.checkers[0].outages and not any(c.outage for c in bench.checkers), 9000, "the outage")
    for link in bench.links:
        await link.write("KEEPALIVE", 1 << 20)
        await link.write("OUTAGE_TIMEOUT", 0)
    await bench.settle(tasks)
    await bench.check_counters()
    assert max(f for f in range(16) if bench.checkers[0].sender.counters[f"tx_acked_{f}"]) == 1


async def restart_link(bench, link, how):
    if how == "restart":
        await link.write("CTRL", 3)
    else:
        await link.write("CTRL", 0)
        await rising_edges(bench.dut.aclk, 700)
        assert await link.state() == 0
        await link.write("CTRL", 1)


@cocotb.test()
@cocotb.parametrize(how=["restart", "enable"], at=RESTARTS, delta=[1, INFINITE])
async def restart_in_traffic(dut, how, at, delta):
    """One end restarts with data under way both ways, packets half in and half out. Both begin again at 0; no frame is counted
    twice or never; what leaves is whole, and all that is offered afterwards arrives."""
    setting = Setting(3, 5, 5, 0, delta)
    scenario = Scenario(SEED + at, (setting, setting), delay=(150, 150), loss=(0.1, 0.1), packets=(60, 60), longest=300, sink_share=(0.5, 0.5))
    bench = await begin(dut, scenario)
    tasks = bench.offer()
    await rising_edges(dut.aclk, at)
    await restart_link(bench, bench.links[at % 2], how)
    await bench.until(lambda: all(c.restarts and c.up for c in bench.checkers), 40_000, "the restart")
    await bench.settle(tasks)
    counters = [await link.counters() for link in bench.links]
    for c, check in zip(counters, bench.checkers):
        bench._check_sums(c)
        check.sender.give_up_undecided()
        assert c["link_restarts"] == 1 + check.restarts and check.aborted <= check.restarts
    assert sum(c["tx_frames_flushed"] for c in counters) > 0
    for link in bench.links:
        assert await link.error("link_down") and await link.error("link_up")
    await bench.clear_counters()
    await bench.settle(bench.offer())
    await bench.check_counters()
    assert delta != INFINITE or all(c.sender.counters["tx_packets_lost"] == 0 for c in bench.checkers)


@cocotb.test()
@cocotb.parametrize(in_order=[True, False])
async def restart_with_packets_at_the_port(dut, in_order):
    """The user of the end that restarts takes nothing, and each packet is one beat: the two that are at the port leave, and no other."""
    scenario = Scenario(SEED + 81, (ALWAYS, ALWAYS), (in_order, in_order), packets=(60, 60), longest=BUILD.data_bytes)
    bench = await begin(dut, scenario)
    tasks = bench.offer()
    check = bench.checkers[1]
    await bench.until(lambda: check.delivered_count > 5, 10_000, "delivery")
    dut.b_m_axis_tready.value = 0
    await bench.until(lambda: len(check.receiver.ready) > check.delivered_count + 10, 10_000, "a queue of packets")
    await restart_link(bench, bench.links[1], "restart")
    await bench.until(lambda: all(c.restarts and c.up for c in bench.checkers), 40_000, "the restart")
    assert check.held_beats == 2
    dut.b_m_axis_tready.value = 1
    await bench.settle(tasks)
    assert check.held_beats == check.aborted == 0


@cocotb.test()
async def bad_packets(dut):
    """Zero-length, oversize, aborted and holed packets among good ones are dropped, counted and flagged; the others arrive."""
    scenario = Scenario(SEED + 51, (ALWAYS, ALWAYS), loss=(0.1, 0.1), packets=(4, 0), longest=100)
    bench = await begin(dut, scenario)
    long, width = BUILD.max_packet_bytes, BUILD.data_bytes
    source = bench.sources[0]
    holes = [1, 0, 1] + [0] * (width - 3)
    bad = {
        "zero": lambda: source.send(bytes(width), tkeep=[0] * width),
        "oversize": lambda: source.send(bytes(long + 1)),
        "abort": lambda: source.send(bytes(50), tuser=[0] * 49 + [1]),
        "keep": lambda: source.send(bytes(2 * width), tkeep=holes + [1] + [0] * (width - 1)),
    }
    for _ in range(2):
        for attempt in bad.values():
            bench.pause_offered = True
            await attempt()
            bench.pause_offered = False
            await bench.settle(bench.offer()[:1])
    await source.start([bytes(range(256)) * (long // 256) + bytes(long % 256)])
    await bench.settle([])
    await bench.check_counters()
    counters = await bench.links[0].counters()
    for name in bad:
        assert counters[f"tx_drop_{name}"] == 2, f"{name}: {counters[f'tx_drop_{name}']}"
        assert await bench.links[0].error(f"drop_{name}"), name
        assert not await bench.links[0].error(f"drop_{name}"), f"{name} stays set"


@cocotb.test()
@cocotb.parametrize(loss=[0, 0.2])
async def too_long_packets_do_not_lock_the_user_port(dut, loss):
    """K = 1 and a longest packet that needs the whole window: a packet that is longer fills the window with frames that are never sent,
    alone or behind packets in flight. It is dropped, and what follows arrives."""
    long, unit = BUILD.max_packet_bytes, BUILD.unit_bytes
    assert long + BUILD.crc_bytes == BUILD.window_frames * unit, "the longest packet does not need the whole window"
    setting = Setting(1, 2, 2, 0, INFINITE)
    scenario = Scenario(SEED + 71, (setting, setting), loss=(loss, loss), packets=(0, 0))
    bench = await begin(dut, scenario)
    rng, few = bench.sources[0].rng, range(5)
    lengths = [long + 1, 3, long + unit, *(rng.randint(1, 4 * unit) for _ in few), 2 * long, long + 1, long, long + 2, 1]
    await bench.settle([bench.sources[0].start([rng.randbytes(length) for length in lengths])])
    await bench.check_counters()
    counters = await bench.links[0].counters()
    assert counters["tx_drop_oversize"] == sum(length > long for length in lengths)
    assert bench.checkers[1].delivered_count == sum(length <= long for length in lengths)
    assert await bench.links[0].error("drop_oversize")


@cocotb.test()
async def bad_accesses(dut):
    """An APPLY that is not valid changes nothing and is flagged; unknown registers and writes to read-only ones answer SLVERR."""
    scenario = Scenario(SEED + 61, (ALWAYS, ALWAYS), loss=(0.1, 0.1), packets=(20, 0))
    bench = await begin(dut, scenario)
    a, b = bench.links
    tasks = bench.offer()
    active = await a.read("ACTIVE_CODE")
    top, parity = BUILD.max_k, BUILD.max_parity
    for k, first, retx, preset in (
        (0, 4, 4, 0), (top + 1, top + 1, top + 1, 0), (8, 7, 8, 0), (8, 8, 7, 0), (8, 9 + parity, 8, 0), (8, 8, 9 + parity, 0),
        (4, 5, 5, 3), (255, 255, 255, 0),
    ):  # fmt: skip
        await a.apply(Setting(k, first, retx, preset))
        assert await a.error("apply_rejected"), (k, first, retx, preset)
        assert await a.read("ACTIVE_CODE") == active
    for link, offset in ((a, 0x100), (b, 0x058), (a, 0x1FC), (a, 0x6000), (a, 0xF000)):
        _, read = await link.read_at(offset)
        assert not read and not await link.write_at(offset, 1), f"access to 0x{link.base + offset:04x} was answered OKAY"
    for link in bench.links:
        assert await link.error("access")
    await a.apply(ALWAYS)
    await bench.settle(tasks)
    await bench.check_counters()
    assert bench.checkers[1].delivered_count == 20
