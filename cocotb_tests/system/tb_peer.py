# SPDX-License-Identifier: Apache-2.0
"""`ArqLink` against the protocol model as its peer: traffic both ways, reboots of either side, forged units, noise."""

import random
from dataclasses import replace
from math import comb

import cocotb

from cocotb_tests.lib.edges import rising_edges
from cocotb_tests.model.darkness import Darkness, random_gaps
from cocotb_tests.model.link import HELLO, OUTAGE, UP
from cocotb_tests.model.sender import INFINITE, Setting
from cocotb_tests.model.units import SN, ControlUnit, DataUnit, parse
from cocotb_tests.system.bench import SOAK, Scenario, longest_packet
from cocotb_tests.system.peer import BUILD, LEAST_K, PeerBench, peer_config
from tests import seeds

random.seed(cocotb.RANDOM_SEED)
SEED = cocotb.RANDOM_SEED * 1000
MORE = [random.randint(300, 8000) for _ in range(SOAK)]


async def begin(dut, **options):
    times = {name: options.pop(name) for name in list(options) if name.isupper()}
    bench = PeerBench(dut, **options)
    await bench.start(**times)
    await bench.until(lambda: bench.check.heard and bench.peer.heard, 30_000 + BUILD.window_frames, "the start")
    return bench


async def exchange(bench, count=15):
    """Packets both ways, all of which arrive."""
    there, back = bench.packets(count), bench.packets(count)
    received, delivered = len(bench.peer.delivered), bench.check.delivered_count
    bench.offer(there, back)
    await bench.settle()
    assert [p for _, p in bench.peer.delivered[received:]] == there
    assert bench.check.delivered_count == delivered + count


def arrives(k, n, loss):
    """Probability that k of n units come."""
    return sum(comb(n, i) * (1 - loss) ** i * loss ** (n - i) for i in range(k, n + 1))


async def random_peer(dut, seed, dark):
    """Random settings of both sides and losses both ways; `dark`: with gaps in which all is lost, both ways, each by itself."""
    rng = seeds.rng(seed)
    drawn = Scenario.random(seed, BUILD)
    config = peer_config(
        drawn.settings[1], in_order=rng.random() < 0.5, status_interval=rng.choice([0, 100, 1 << 24]),
        user_clocks_per_byte=rng.choice([0, 0, 3]),
    )  # fmt: skip
    loss = [rng.choice([0, 0.1, 0.3]) for _ in range(2)]
    for i, sender in enumerate(drawn.settings[::-1]):  # to the RTL from the peer, and from it
        if min(arrives(sender.k, n, loss[i]) for n in (sender.n_first, sender.n_retx)) < 0.05:
            loss[i] = 0.1  # or it takes hundreds of transmissions
    bench = await begin(
        dut, setting=drawn.settings[0], config=config, in_order=rng.random() < 0.5, loss=loss, sink_share=0.7, seed=seed,
        STATUS_INTERVAL=rng.choice([0, 100, 1 << 24]),
    )  # fmt: skip
    if dark:
        for way, lost in zip((bench.to_rtl, bench.from_rtl), loss):
            way.delay = rng.choice([60, 600])
            gap, distance = random_gaps(rng, BUILD.window_frames)
            way.loss = Darkness(rng, lost, gap, distance, bench.now + 60_000, bench.now)
    there, back = bench.packets(30), bench.packets(30)
    bench.offer(there, back)
    await bench.settle(400_000)
    await bench.check_counters()
    assert bench.check.restarts == 0 and bench.peer.counters["link_restarts"] == 1
    arrived = [p for _, p in bench.peer.delivered]
    assert set(arrived) <= set(there) and len(set(arrived)) == len(arrived)
    if drawn.settings[0].delta == INFINITE:
        assert sorted(arrived) == sorted(there)


@cocotb.test()
@cocotb.parametrize(seed=[SEED + i for i in range(4 + SOAK)])
async def random_traffic(dut, seed):
    await random_peer(dut, seed, dark=False)


@cocotb.test()
@cocotb.parametrize(seed=[SEED + i for i in range(6 + SOAK)])
async def random_darkness(dut, seed):
    """The link never takes an honest peer for one that contradicts itself."""
    await random_peer(dut, seed, dark=True)


@cocotb.test()
@cocotb.parametrize(at=[800, 2001, 3333] + MORE)
async def peer_reboots(dut, at):
    """The peer forgets everything in mid-traffic and begins with the epoch it had; the RTL restarts and says so."""
    bench = await begin(dut, seed=SEED + at, loss=(0.1, 0.1))
    bench.offer(bench.packets(40), bench.packets(40))
    await rising_edges(dut.aclk, at)
    bench.peer.now = bench.now
    bench.peer.reboot()
    await bench.until(lambda: bench.check.restarts and bench.check.heard, 20_000, "the restart")
    assert await bench.registers.error("peer_restart")
    await bench.settle()
    await bench.registers.counters(clear=True)
    bench.check.forget_counters()
    await exchange(bench)
    await bench.check_counters()


@cocotb.test()
@cocotb.parametrize(at=[700, 1234, 2600] + MORE)
async def rtl_is_reset(dut, at):
    """The RTL is reset in mid-traffic, stalled on m_axis; the model restarts, and the link goes on."""
    bench = await begin(dut, seed=SEED + at, loss=(0.1, 0.1), sink_share=0.4)
    bench.offer(bench.packets(40), bench.packets(40))
    await rising_edges(dut.aclk, at)
    bench.tasks.pop().cancel()
    bench.source.axis.clear()
    dut.aresetn.value = 0
    await rising_edges(dut.aclk, 5)  # two registers for the reset, those of the ports, and the edge that shows them
    assert not (dut.m_axis_tvalid.value or dut.m_axis_phy_tvalid.value)
    bench.restart_checker()
    dut.aresetn.value = 1
    await bench.configure()
    await bench.until(lambda: bench.check.heard and bench.peer.counters["link_restarts"] > 1, 20_000, "the restart")
    await bench.settle()
    await bench.registers.counters(clear=True)
    bench.check.forget_counters()
    await exchange(bench)
    await bench.check_counters()


@cocotb.test()
async def disabled_in_traffic(dut):
    """The RTL is off for long while the peer goes on: what comes meanwhile takes no room, and the link starts again."""
    bench = await begin(dut, seed=SEED + 17)
    bench.offer([], bench.packets(60))
    await rising_edges(dut.aclk, 800)
    await bench.registers.write("CTRL", 0)
    await rising_edges(dut.aclk, 4000)
    await bench.registers.write("CTRL", 1)
    await bench.until(lambda: bench.check.restarts and bench.check.heard, 20_000, "the restart")
    assert (await bench.registers.counters(clear=True))["rx_overflow"] == 0
    await bench.settle()
    await bench.registers.counters(clear=True)
    bench.check.forget_counters()
    await exchange(bench)
    await bench.check_counters()


@cocotb.test()
async def noise(dut):
    """Random bytes of all lengths, cut and lengthened units, between good ones: all counted as erased, nothing else happens."""
    bench = await begin(dut, seed=SEED + 7)
    rng, good = bench.rng, []
    inner = bench.peer.pull
    bench.peer.pull = lambda now: (lambda raw: (good.append(raw) if raw else None, raw)[1])(inner(now))
    bench.offer(bench.packets(60), bench.packets(60))
    for _ in range(150):
        kind = rng.randrange(4)
        raw = rng.randbytes(4 * rng.randint(1, 40))
        if kind and good:
            raw = bytearray(good[-1])
            if kind == 1:
                raw = raw[: 4 * rng.randrange(1, len(raw) // 4)]
            elif kind == 2:
                raw += rng.randbytes(4 * rng.randint(1, 12))
            else:
                raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
        bench.inject(bytes(raw), rng.random() < 0.1)
        await rising_edges(dut.aclk, rng.randint(1, 40))
    bench.inject(rng.randbytes(8000))
    await bench.settle()
    assert await bench.registers.error("phy_length")
    await exchange(bench)
    c = await bench.check_counters()
    assert min(c["rx_erased_crc"], c["rx_erased_flag"], c["rx_erased_length"]) > 0
    assert c["tx_retx"] == 0 and c["link_restarts"] == 1


def forged_controls(bench):
    """Control units with good CRC and a field that cannot be in the link's present state: (unit, counter, error)."""
    sender, receiver = bench.check.sender, bench.check.receiver
    peer, window = bench.peer, BUILD.window_frames
    good = ControlUnit(
        epoch=peer.epoch, peer_known=True, peer_epoch=bench.check.epoch, param=peer.tx.ack, tx_base=peer.tx.base,
        tx_edge=peer.tx.edge, rx_base=sender.peer_rx_base, rx_next=sender.ack_tsn,
        bitmap_base=max(0, sender.ack_tsn // 32 * 32 - 32), bitmap=(1 << 64) - 1,
    )  # fmt: skip
    changes = [dict(rx_next=(sender.next_tsn + d) % SN) for d in (1, 2, window, 500, SN // 2 - 1, SN // 2, SN - 1000)]
    changes += [dict(rx_base=(sender.next_fsn + d) % SN) for d in (1, window, SN // 2)]
    changes += [dict(rx_base=(sender.peer_rx_base - d) % SN) for d in (window + 1, 5000)]
    changes += [dict(tx_edge=(receiver.rx_next + d) % SN) for d in (window + 1, 5000, SN // 2 - 1)]
    changes += [dict(tx_base=(receiver.base_limit + d) % SN) for d in (window + 1, 5000, SN // 2 - 1)]
    return [replace(good, **change) for change in changes]


@cocotb.test()
async def forged_control_units(dut):
    """No field of a control unit frees what was not sent, or skips what was not given up."""
    bench = await begin(dut, seed=SEED + 8)
    await exchange(bench)
    bench.from_rtl.dark = True  # frames of the RTL are sent and not acknowledged while the forger talks
    bench.offer(bench.packets(6), [])
    await rising_edges(dut.aclk, 1500)
    waiting = bench.check.sender.next_fsn - bench.check.sender.tx_base
    assert waiting > 6
    units = forged_controls(bench)
    before = bench.check.counters["rx_control_invalid"]
    for unit in units:
        bench.inject(unit.build())
        await rising_edges(dut.aclk, 100)
    assert bench.check.counters["rx_control_invalid"] == before + len(units)
    assert bench.check.sender.next_fsn - bench.check.sender.tx_base == waiting
    assert await bench.registers.error("control_invalid")
    bench.from_rtl.dark = False
    await bench.settle()
    await exchange(bench)
    await bench.check_counters()


@cocotb.test()
async def control_units_back_to_back(dut):
    """Control units without a gap are all accepted, each in no more clocks than it lasts on the PHY."""
    bench = await begin(dut, seed=SEED + 14)
    await exchange(bench)
    sender, peer = bench.check.sender, bench.peer
    assert bench.check.epoch is not None
    unit = ControlUnit(
        epoch=peer.epoch, peer_known=True, peer_epoch=bench.check.epoch, param=peer.tx.ack, tx_base=peer.tx.base,
        tx_edge=peer.tx.edge, rx_base=sender.peer_rx_base, rx_next=sender.ack_tsn, bitmap_base=sender.ack_tsn // 32 * 32,
    )  # fmt: skip
    before = (await bench.check_counters())["rx_control_units"]
    for _ in range(600):
        bench.inject(unit.build())
    await rising_edges(dut.aclk, 600 * 32 // BUILD.data_bytes + 500)
    counters = await bench.check_counters()
    assert counters["rx_overflow"] == 0 and counters["rx_control_units"] >= before + 600
    await exchange(bench)


@cocotb.test()
@cocotb.parametrize(k=[1, LEAST_K], share=[0.1, 0.5, 0.8])
async def units_back_to_back(dut, k, share):
    """Data and control units in any mixture, without a clock between two of them: none is dropped for want of room. `share`: of control units among them."""
    setting = Setting(k, k, k, 0, INFINITE)
    bench = await begin(dut, setting=setting, config=peer_config(setting), seed=SEED + 15)
    await exchange(bench)
    repeated: list[bytes] = []  # the peer's last control unit, if it asks for nothing
    inner = bench.peer.pull

    def pull(now):
        raw = inner(now)
        while repeated and raw and bench.rng.random() < share:
            bench.inject(repeated[0])
        if raw and raw[0] >> 4 & 3 == 1:
            repeated[:] = [] if raw[2] & 0b101 else [raw]
        return raw

    bench.peer.pull = pull
    await exchange(bench, 15 * BUILD.data_bytes)
    counters = await bench.check_counters()
    assert counters["rx_overflow"] == 0


@cocotb.test()
async def a_long_gap_makes_no_unit_wait(dut):
    """Thousands of transmissions are lost in one piece, and units without a pause follow: the gap is written down, and no unit waits for that."""
    setting = Setting(1, 1, 1, 0, INFINITE)
    bench = await begin(dut, setting=setting, config=peer_config(setting), seed=SEED + 16)
    enough = 72_000 // BUILD.data_unit_beats * BUILD.unit_bytes
    bench.offer([], [bench.rng.randbytes(longest_packet(BUILD)) for _ in range(enough // longest_packet(BUILD))])
    await rising_edges(dut.aclk, 2000)
    bench.to_rtl.dark = True
    await rising_edges(dut.aclk, 60_000)
    bench.to_rtl.dark = False
    await bench.settle(400_000)
    counters = await bench.check_counters()
    assert counters["rx_outcomes_failed"] > 5000, counters["rx_outcomes_failed"]
    assert counters["rx_overflow"] == 0, counters["rx_overflow"]


@cocotb.test(skip=BUILD.max_k == 1)
async def frames_beyond_the_peers_k(dut):
    """A peer that is built for a smaller K takes their units for impossible, and never gets them. The sender shows it, and gives these frames up once its
    K is smaller: what had been acknowledged behind them is delivered, and no other packet is lost."""
    most = BUILD.max_k
    setting = Setting(most, most, most, 0, INFINITE)
    bench = await begin(dut, setting=setting, seed=SEED + 17)
    bench.from_rtl.fits = lambda raw: not isinstance(unit := parse(raw, BUILD.unit_bytes), DataUnit) or unit.k < most
    long, short = (bench.rng.randbytes(most * BUILD.unit_bytes) for _ in range(3)), [bench.rng.randbytes(BUILD.unit_bytes) for _ in range(12)]
    bench.offer([short[0], *(packet for i, one in enumerate(long) for packet in (one, *short[3 * i + 1 : 3 * i + 4]))], bench.packets(5))
    for _ in range(40):
        await rising_edges(dut.aclk, 2500)
        if await bench.registers.error("frame_failing"):
            break
    else:
        raise AssertionError("no frame is said to fail")
    assert [p for _, p in bench.peer.delivered] == short[:1]
    smaller = replace(setting, k=1, n_first=1, n_retx=1)
    sender = bench.check.sender
    sender.active = [setting, smaller]
    sender.settings.append(smaller)
    await bench.registers.apply(smaller)
    await bench.settle()
    assert [p for _, p in bench.peer.delivered] == short[:10]
    counters = await bench.check_counters()
    assert (counters["tx_frames_abandoned"], counters["tx_packets_lost"]) == (3, 3)
    bench.offer(short[10:], [])
    await bench.settle()
    assert [p for _, p in bench.peer.delivered] == short


@cocotb.test()
async def forged_data_units(dut):
    """Data units with a good CRC that cannot be: beyond the window, of another epoch, with a header outside the build."""
    bench = await begin(dut, seed=SEED + 9)
    await exchange(bench)
    receiver, window = bench.check.receiver, BUILD.window_frames
    good = DataUnit(0, True, True, bench.peer.epoch, 2, 3, 0, 0, receiver.base_limit, receiver.rx_next, bytes(8))
    changes = [dict(fsn=(good.fsn + d) % SN) for d in (window, window + 1, 3000, SN // 2 - 1)]
    changes += [dict(tsn=(good.tsn + d) % SN) for d in (window, window + 1, 3000, SN // 2 - 1, SN - 1, SN - 3000)]
    changes += [dict(epoch=(good.epoch + d) % 256) for d in (1, 128, 255)]
    changes += [dict(k=128, n=128), dict(k=17, n=17), dict(k=3, n=2), dict(n=11), dict(n=255), dict(index=3), dict(index=255)]
    changes += [dict(pad=8), dict(pad=4095), dict(preset=3), dict(several=True), dict(fresh=True)]
    changes += [dict(link=number) for number in (1, 2, 3)]
    names = "rx_units_invalid", "rx_units_late", "rx_bad_header", "rx_units_other_link"
    for kind in (dict(), dict(last_try=True), dict(last_try=True, all_below=True)):
        for change in changes:
            bench.inject(replace(good, **kind, **change).build())
            await rising_edges(dut.aclk, 50)
    await rising_edges(dut.aclk, 200)
    assert [receiver.counters[n] for n in names] == [24, 6, 36, 9], [receiver.counters[n] for n in names]
    assert bench.check.counters["rx_units_epoch"] == 9
    assert await bench.registers.error("unit_invalid") and await bench.registers.error("bad_header")
    await exchange(bench)
    await bench.check_counters()


@cocotb.test()
async def forged_restarts(dut):
    """A stranger's control unit, or a hello out of place, costs a restart and nothing more."""
    bench = await begin(dut, seed=SEED + 10)
    check, peer = bench.check, bench.peer

    def own():
        assert check.epoch is not None
        return check.epoch

    for unit in (
        lambda: ControlUnit(epoch=(peer.epoch + 7) % 256, peer_known=True, peer_epoch=own()),
        lambda: ControlUnit(epoch=peer.epoch, peer_known=True, peer_epoch=(own() + 9) % 256),
        lambda: ControlUnit(epoch=peer.epoch, peer_known=False),
        lambda: ControlUnit(epoch=peer.epoch, hello=True, peer_known=True, peer_epoch=own(), param=6 << 16 | 8),
    ):
        restarts = check.restarts
        bench.inject(unit().build())
        await bench.until(lambda r=restarts: check.restarts > r and check.heard and peer.heard, 20_000, f"restart {restarts}")
        assert await bench.registers.error("peer_restart")
        await bench.settle()
        bench.check.forget_counters()
        await bench.registers.counters(clear=True)
        await exchange(bench, 4)
        await bench.check_counters()


@cocotb.test()
@cocotb.parametrize(other=[dict(unit_bytes=16), dict(window_log2=5), dict(packet_crc=not BUILD.packet_crc)])
async def peer_of_another_build(dut, other):
    """A peer with other units or without the CRC of packets, or with a window that cannot hold the longest packet, gets no link and a sticky error; when it
    comes back with the right build the link starts."""
    bench = PeerBench(dut, config=peer_config(**other), seed=SEED + 11)
    await bench.start()
    await rising_edges(dut.aclk, 4000)
    assert await bench.registers.state() == HELLO
    assert await bench.registers.error("peer_mismatch")
    right = peer_config()
    bench.peer.config = bench.peer.tx.config = right
    bench.peer.rx.packet_crc = right.packet_crc
    bench.peer.rx.window, bench.peer.rx.unit_bytes = right.window, right.unit_bytes
    bench.peer.now = bench.now
    bench.peer.reboot()
    await bench.until(lambda: bench.check.heard and bench.peer.heard, 20_000, "the start")
    await exchange(bench)


@cocotb.test()
@cocotb.parametrize(delta=[0, 1])
async def phy_goes_down(dut, delta):
    """phy_up low: an outage at once; the peer is asked to hold its data; afterwards all goes on."""
    setting = Setting(4, 4, 4, 0, delta)
    bench = PeerBench(dut, setting=setting, config=peer_config(setting, keepalive=800), seed=SEED + 12)
    await bench.start(KEEPALIVE=800)
    await bench.until(lambda: bench.check.heard and bench.peer.heard, 30_000, "the start")
    bench.offer(bench.packets(20), bench.packets(20))
    await rising_edges(dut.aclk, 300)
    dut.phy_up.value = 0
    bench.to_rtl.dark = True
    bench.to_rtl.queue.clear()
    await rising_edges(dut.aclk, 2500)
    assert await bench.registers.state() == OUTAGE and bench.peer.state == OUTAGE
    sent = bench.check.sender.next_tsn, bench.peer.tx.next_tsn
    await rising_edges(dut.aclk, 2500)
    assert sent == (bench.check.sender.next_tsn, bench.peer.tx.next_tsn)
    dut.phy_up.value = 1
    bench.to_rtl.dark = False
    await bench.until(lambda: not bench.check.outage and bench.peer.state == UP, 5000, "the end of the outage")
    assert await bench.registers.error("outage")
    await bench.registers.write("KEEPALIVE", 1 << 20)
    bench.peer.config = bench.peer.tx.config = replace(bench.peer.config, keepalive=1 << 20)
    await bench.settle()
    c = await bench.check_counters()
    assert c["link_outages"] == 1
    assert delta == 0 or c["tx_frames_abandoned"] == 0


@cocotb.test()
async def phy_stalls(dut):
    """m_axis_phy is rarely ready: units stay whole and legal."""
    bench = await begin(dut, seed=SEED + 13, loss=(0.1, 0.1))

    async def stall():
        while True:
            dut.m_axis_phy_tready.value = int(bench.rng.random() < 0.4)
            await rising_edges(dut.aclk, bench.rng.randint(1, 20))

    cocotb.start_soon(stall())
    await exchange(bench, 25)
    await bench.check_counters()
