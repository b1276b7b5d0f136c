# SPDX-License-Identifier: Apache-2.0
"""`ArqPair` between a scenario and the trace checkers of cocotb_tests/model."""

import os
from dataclasses import dataclass

import cocotb
from cocotb.utils import get_sim_time

from cocotb_tests.lib.edges import rising_edges, start_clock
from cocotb_tests.lib.regs import LinkRegisters, Registers, master, regs
from cocotb_tests.model.checker import EndChecker
from cocotb_tests.model.darkness import gaps, random_gaps
from cocotb_tests.model.sender import INFINITE, Setting
from tests import seeds

from .streams import PacketSource, random_ready, shows, watch_packets, watch_units

CLOCK_NS = 10

# Random seeds that a soak adds to those of every run (make test does not set it).
SOAK = int(os.environ.get("ARQLINK_SOAK_SEEDS", 0))

# Clocks from a change of the setting until no unit can leave that an older setting decided: the longest frames under way.
COMMITTED = 1500
# Clocks from the start until the channels go dark no more.
DARK = 100_000
# Clocks in which all outcomes of a control unit are sure to have been dealt with after it came.
INTAKE = 200


def longest_packet(build):
    """Longest packet of a random scenario, in bytes: long enough for several frames."""
    return 2000 if build.unit_bytes >= 64 else 400


@dataclass(frozen=True)
class Scenario:
    """Settings of one run. Delays and times in clocks, losses as probabilities; A sends to B and B to A."""

    seed: int
    settings: tuple  # one Setting per end
    in_order: tuple = (True, True)
    delay: tuple = (100, 100)
    loss: tuple = (0.0, 0.0)
    mode: int = 3
    packets: tuple = (40, 20)
    longest: int = 300
    gap: int = 0
    sink_share: tuple = (1.0, 1.0)
    status_interval: int = 0
    keepalive: int = 1 << 20
    outage_timeout: int = 0
    freeze: bool = True
    dark: tuple = ((0, 0), (0, 0))  # of each way: length of the gaps in which all is lost, and how far apart they are

    @staticmethod
    def random(seed, build):
        """A scenario drawn from a seed."""
        rng = seeds.rng(seed)

        def setting():
            k = rng.randint(1, build.max_k)
            first, retx = (k + rng.randint(0, min(4, build.max_parity)) for _ in range(2))
            return Setting(k, first, retx, rng.randrange(3), rng.choice([0, 1, 2, 5, 14, INFINITE, INFINITE]))

        return Scenario(
            seed=seed,
            settings=(setting(), setting()),
            in_order=(rng.random() < 0.7, rng.random() < 0.7),
            delay=tuple(rng.choice([1, 20, 100, 400]) for _ in range(2)),
            loss=tuple(rng.choice([0, 0.02, 0.1, 0.25]) for _ in range(2)),
            mode=rng.randrange(4),
            packets=(rng.randint(20, 50), rng.choice([0, 5, 30])),
            longest=rng.choice([30, 150, longest_packet(build)]),
            gap=rng.choice([0, 0, 50]),
            sink_share=(rng.choice([1.0, 1.0, 0.3]), rng.choice([1.0, 1.0, 0.2])),
            status_interval=rng.choice([0, 0, 200, 1 << 24]),
            dark=tuple(random_gaps(rng, build.window_frames) if rng.random() < 0.5 else (0, 0) for _ in range(2)),
        )

    @property
    def poll_timeout(self):
        return 2 * sum(self.delay) + 1500


class Bench:
    """Starts the pair in a scenario; `checkers` of A and B see everything that happens at their ends."""

    def __init__(self, dut, build, scenario, more_settings=()):
        self.dut, self.build, self.scenario = dut, build, scenario
        limits = build.max_k, build.max_parity
        self.leaving = [bytearray(), bytearray()]  # of the packet that is leaving at A and B
        self.checkers = [
            EndChecker(
                build.window_frames,
                build.unit_bytes,
                [setting, *more_settings],
                in_order,
                *limits,
                slack=build.chosen_before_nack,
                ahead=build.chosen_ahead,
                freeze=scenario.freeze,
                clock=lambda: int(get_sim_time("ns")) // CLOCK_NS,
                late=build.data_unit_beats + build.control_unit_beats,
                packet_crc=bool(build.packet_crc),
                port=shows(dut, f"{e}_m_axis", leaving),
                data_bytes=build.data_bytes,
            )  # fmt: skip
            for e, leaving, setting, in_order in zip("ab", self.leaving, scenario.settings, reversed(scenario.in_order))
        ]
        self.events = 0
        self.failure = None
        self.pause_offered = False  # packets on s_axis are ones to be dropped
        self.first_start = 1  # restarts that a checker does not see
        bus = master(dut)
        self.links = [LinkRegisters(bus, base) for base in (0x0000, 0x1000)]
        self.channels = [Registers(bus, regs.ARQCHAN, base) for base in (0x2000, 0x3000)]  # from A to B, and back
        self.sources = [PacketSource(dut, f"{e}_s_axis", scenario.seed + i) for i, e in enumerate("ab")]

    def _checked(self, event):
        """Keeps the first complaint, so that it fails the test and not only the monitor."""

        def call(*arguments):
            self.events += 1
            if self.failure is None:
                try:
                    event(*arguments)
                except (AssertionError, ValueError) as complaint:
                    self.failure = complaint

        return call

    async def start(self):
        """Clock, reset, monitors, settings; returns when both links may start to talk."""
        dut, build, s = self.dut, self.build, self.scenario
        dut.ab_erase.value = dut.ba_erase.value = 0
        for e in "ab":
            getattr(dut, f"{e}_m_axis_tready").value = 0
        start_clock(dut.aclk, CLOCK_NS, dut.aresetn)
        await rising_edges(dut.aclk, 5)
        dut.aresetn.value = 1
        for i, e in enumerate("ab"):
            check = self.checkers[i]
            tap = "ba_tap" if e == "a" else "ab_tap"
            name = e.upper()
            for task in (
                watch_units(dut, tap, build.data_bytes, self._checked(self._named(name, "received", check.received))),
                watch_units(dut, f"{e}_phy", build.data_bytes, self._checked(self._named(name, "sent", self._sent(check)))),
                watch_packets(dut, f"{e}_s_axis", build.data_bytes, self._checked(self._offered(check))),
                watch_packets(dut, f"{e}_m_axis", build.data_bytes, self._checked(self._named(name, "m_axis", check.packet)), raw=self.leaving[i]),
                random_ready(dut, getattr(dut, f"{e}_m_axis_tready"), s.sink_share[i], 200, s.seed + 10 + i),
            ):
                cocotb.start_soon(task)
        await self._configure()
        for way, (gap, distance) in enumerate(s.dark):
            cocotb.start_soon(self._darken(way, list(gaps(seeds.rng(s.seed + way), gap, distance, DARK))))

    async def _darken(self, way, times):
        """Lets the channel of `way` go dark in the given clocks from now on."""
        now = 0
        for first, end in times:
            for at, on in ((first, True), (end, False)):
                await rising_edges(self.dut.aclk, at - now)
                now = at
                await self.outage([way], on)

    def _offered(self, check):
        """Packets that are too long are dropped, and so are all while `pause_offered` is set."""
        longest = self.build.max_packet_bytes
        return lambda packet, aborted: None if self.pause_offered or len(packet) > longest else check.offered(packet)

    @staticmethod
    def _sent(check):
        return lambda raw, erased: check.sent(raw)

    @staticmethod
    def _named(end, where, event):
        def call(*arguments):
            try:
                event(*arguments)
            except AssertionError as complaint:
                raise AssertionError(f"end {end}, {where}: {complaint}") from None

        return call

    async def _configure(self):
        s = self.scenario
        for i, channel in enumerate(self.channels):
            await channel.write("SEED", seeds.seed_of(f"channel {s.seed} {i}"))
            await channel.write("DELAY", s.delay[i])
            await channel.write("MODE", s.mode)
            await channel.write("P_GOOD", int(s.loss[i] * 2**32))
            await channel.write("CTRL", enable=1)
        for i, link in enumerate(self.links):
            # ord is a setting of the receiving end: end i delivers what the other one sends
            await link.apply(s.settings[i], s.in_order[1 - i], s.freeze)
            await link.write("POLL_TIMEOUT", s.poll_timeout)
            await link.write("HELLO_INTERVAL", 500)
            await link.write("KEEPALIVE", s.keepalive)
            await link.write("OUTAGE_TIMEOUT", s.outage_timeout)
            await link.write("STATUS_INTERVAL", s.status_interval)

    def random_packets(self, which):
        """The packets that end `which` sends."""
        s = self.scenario
        rng = seeds.rng(s.seed * 2 + which)
        unit = self.build.unit_bytes
        edges = [1, unit - 1, unit, unit + 1, s.settings[which].k * unit]
        lengths = [min(s.longest, rng.choice(edges + [rng.randint(1, s.longest)] * 4)) for _ in range(s.packets[which])]
        return [rng.randbytes(length) for length in lengths]

    async def apply(self, which, setting, in_order=True):
        """Makes a Setting active at end `which`. Until decisions made before are sure to have left, both count."""
        sender = self.checkers[which].sender
        sender.active = [sender.active[-1], setting]
        if setting not in sender.settings:
            sender.settings.append(setting)
        # A control unit that came just before is still judged by the setting of then, as the checker did.
        await rising_edges(self.dut.aclk, INTAKE)
        await self.links[which].apply(setting, in_order, self.scenario.freeze)

        async def later():
            await rising_edges(self.dut.aclk, COMMITTED)
            if sender.active[-1] is setting:
                sender.active = [setting]

        cocotb.start_soon(later())

    async def outage(self, ways, on):
        """Begins or ends an outage of the channels in `ways`, 0 being from A to B."""
        for way in ways:
            await self.channels[way].write("CTRL", enable=1, outage=on)

    async def clear_counters(self):
        """At rest: counters start at 0 on both sides of the comparison."""
        for link, check in zip(self.links, self.checkers):
            await link.counters(clear=True)
            check.sender.give_up_undecided()
            check.forget_counters()
        self.first_start = 0

    async def until(self, condition, limit, what):
        """Waits for a condition on the checkers, in steps."""
        for _ in range(limit // 100):
            if self.failure is not None:
                raise self.failure
            if condition():
                return
            await rising_edges(self.dut.aclk, 100)
        raise AssertionError(f"{what} did not happen in {limit} clocks: {self.describe()}")

    def offer(self):
        """Starts both sources; returns their tasks."""
        return [source.start(self.random_packets(i), self.scenario.gap) for i, source in enumerate(self.sources)]

    @property
    def at_rest(self):
        a, b = self.checkers
        return all(c.up and c.sender.resolved and c.sender.peer_rx_base == c.sender.next_fsn and c.delivered_count == len(c.receiver.ready) for c in (a, b))

    async def settle(self, tasks, limit=400_000):
        """Waits until all is delivered or given up and nothing moves any more."""
        step = 250
        quiet = 2 * self.scenario.poll_timeout  # a poll that is due would come in this time
        still = 0
        for _ in range(limit // step):
            before = self.events
            await rising_edges(self.dut.aclk, step)
            if self.failure is not None:
                raise self.failure
            done = all(t.done() for t in tasks) and self.at_rest
            still = still + step if done and self.events == before else 0
            if still > quiet:
                return
        raise AssertionError(f"not at rest after {limit} clocks: {self.describe()}")

    def describe(self):
        """The state of both ends, for the message of a hang."""
        lines = []
        for name, c in zip("AB", self.checkers):
            s, r = c.sender, c.receiver
            lines.append(
                f"{name}: up {c.up}, packets not sent {len(s.packets)}, FSN {s.tx_base} … {s.next_fsn}, peer's rxBase"
                f" {s.peer_rx_base}, ackTsn {s.ack_tsn} … {s.next_tsn}, waiting {len(s.pending)}, rxNext {r.rx_next},"
                f" rxBase up to {r.base_limit}, delivered {c.delivered_count} of {len(r.ready)}"
            )
        return "; ".join(lines)

    async def check_counters(self, loose=()):
        """Reads all counters of both ends and compares them; nothing may happen meanwhile."""
        for link, check in zip(self.links, self.checkers):
            for _ in range(3):
                before = self.events
                counters = await link.counters()
                if self.events == before:
                    break
            else:
                raise AssertionError("the link does not rest")
            check.finish(counters, loose)
            assert counters["link_outages"] == check.outages, f"{counters['link_outages']} outages"
            assert counters["link_restarts"] == self.first_start + check.restarts, f"{counters['link_restarts']} restarts"
            self._check_sums(counters)
        if self.failure is not None:
            raise self.failure

    @staticmethod
    def _check_sums(c):
        """Sums that hold at rest, whatever happened."""
        assert c["tx_frames"] == c["tx_frames_acked"] + c["tx_frames_abandoned"] + c["tx_frames_flushed"]
        assert sum(c[f"tx_acked_{i}"] for i in range(16)) == c["tx_frames_acked"]
