# SPDX-License-Identifier: Apache-2.0
"""One `ArqLink` whose peer is the protocol model of cocotb_tests/model/link.py, joined at the PHY ports."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import cocotb
from cocotb.triggers import RisingEdge
from cocotb.utils import get_sim_time

from cocotb_tests.lib.edges import rising_edges, start_clock
from cocotb_tests.lib.limits import built
from cocotb_tests.lib.regs import LinkRegisters, master
from cocotb_tests.model.checker import EndChecker
from cocotb_tests.model.config import Config
from cocotb_tests.model.link import LinkEnd
from cocotb_tests.model.sender import INFINITE, Setting
from tests import seeds

from .bench import longest_packet
from .streams import PacketSource, random_ready, shows, watch_packets, watch_units

BUILD = built()
LEAST_K = min(4, BUILD.max_k)
DEFAULT = Setting(LEAST_K, LEAST_K + min(2, BUILD.max_parity), LEAST_K + min(2, BUILD.max_parity), 0, INFINITE)
TIMES = {"POLL_TIMEOUT": 2500, "HELLO_INTERVAL": 500, "KEEPALIVE": 1 << 20, "OUTAGE_TIMEOUT": 0, "STATUS_INTERVAL": 0}


def peer_config(setting=DEFAULT, **other):
    """A peer of the same build."""
    values = dict(
        window_log2=BUILD.window_frames.bit_length() - 1, unit_bytes=BUILD.unit_bytes, data_bytes=BUILD.data_bytes, setting=setting, poll_timeout=2500,
        hello_interval=500, keepalive=1 << 20, max_packet=BUILD.max_packet_bytes, packet_crc=bool(BUILD.packet_crc),
    )  # fmt: skip
    return Config(**{**values, **other})


@dataclass
class Channel:
    """One direction: delay in clocks, erasure probability, or a function of the clock that gives it, whether all is erased, and which units its end is
    built for: others are impossible to it."""

    delay: int = 60
    loss: float | Callable[[int], float] = 0.0
    dark: bool = False
    fits: Callable[[bytes], bool] = lambda raw: True
    queue: deque = field(default_factory=deque)  # (clock at which it comes out, bytes, erased)

    def probability(self, now):
        return 1 if self.dark else self.loss(now) if callable(self.loss) else self.loss


class PeerBench:
    """`peer` is the model, `check` the checker of the RTL's end; `inject` sends a unit that the peer would not send."""

    def __init__(self, dut, setting=DEFAULT, config=None, in_order=True, loss=(0.0, 0.0), sink_share=1.0, seed=1):
        self.dut, self.setting, self.in_order, self.sink_share, self.seed = dut, setting, in_order, sink_share, seed
        self.rng = seeds.rng(seed)
        self.peer = LinkEnd(config or peer_config())
        self.to_rtl, self.from_rtl = Channel(loss=loss[0]), Channel(loss=loss[1])
        self.failure = None
        self.events = 0
        self.tasks = []
        self.leaving = bytearray()  # of the packet that is leaving
        self.check = self._new_checker()
        self.registers = LinkRegisters(master(dut))
        self.source = PacketSource(dut, "s_axis", seed)
        self.resets = 0

    def _new_checker(self):
        limits = BUILD.max_k, BUILD.max_parity
        return EndChecker(
            BUILD.window_frames, BUILD.unit_bytes, [self.setting], self.in_order, *limits, clock=lambda: self.now,
            slack=BUILD.chosen_before_nack, ahead=BUILD.chosen_ahead, late=BUILD.data_unit_beats + BUILD.control_unit_beats, packet_crc=bool(BUILD.packet_crc),
            port=shows(self.dut, "m_axis", self.leaving), data_bytes=BUILD.data_bytes,
        )  # fmt: skip

    @property
    def now(self):
        return int(get_sim_time("ns")) // 10

    async def start(self, **times):
        """Clock, reset, registers; then both ends may talk."""
        dut = self.dut
        dut.m_axis_phy_tready.value = dut.m_axis_tready.value = 0
        for signal in ("tvalid", "tdata", "tlast", "tuser"):
            getattr(dut, f"s_axis_phy_{signal}").value = 0
        dut.phy_up.value = 1
        start_clock(dut.aclk, 10, dut.aresetn)
        await rising_edges(dut.aclk, 5)
        dut.aresetn.value = 1
        width = BUILD.data_bytes

        def life():
            return self.resets

        for task in (
            watch_units(dut, "s_axis_phy", width, self._guard(lambda raw, erased: self.check.received(raw, erased)), life),
            watch_units(dut, "m_axis_phy", width, self._guard(self._left), life),
            watch_packets(dut, "s_axis", width, self._guard(lambda p, bad: self.check.offered(p)), life),
            watch_packets(dut, "m_axis", width, self._guard(lambda p, bad: self.check.packet(p, bad)), life, self.leaving),
            random_ready(dut, dut.m_axis_tready, self.sink_share, 200, self.seed),
        ):
            cocotb.start_soon(task)
        await self.configure(**times)
        dut.m_axis_phy_tready.value = 1
        cocotb.start_soon(self._run_peer())
        cocotb.start_soon(self._drive())

    async def configure(self, **times):
        """Settings and times of the RTL's end."""
        await self.registers.apply(self.setting, self.in_order)
        for name, clocks in {**TIMES, **times}.items():
            await self.registers.write(name, clocks)

    def _guard(self, event):
        def call(*arguments):
            self.events += 1
            if self.failure is None:
                try:
                    event(*arguments)
                except (AssertionError, ValueError) as complaint:
                    self.failure = complaint

        return call

    def _left(self, raw, erased):
        self.check.sent(raw)
        way = self.from_rtl
        if self.rng.random() >= way.probability(self.now) and way.fits(raw):
            way.queue.append((self.now + way.delay, raw, False))

    async def _run_peer(self):
        clock = self.dut.aclk
        step = self._guard(self._step)
        while self.failure is None:
            self.line_clocks = 8
            self.events -= 1
            step()
            await rising_edges(clock, self.line_clocks)

    def _step(self):
        now, inbox = self.now, self.from_rtl.queue
        while inbox and inbox[0][0] <= now:
            self.peer.receive(inbox.popleft()[1], False, now)
        raw = self.peer.pull(now)
        if raw is not None:
            self.line_clocks = len(raw) // BUILD.data_bytes
            way = self.to_rtl
            erased = self.rng.random() < way.probability(now)
            if not way.dark and (not erased or self.rng.random() < 0.5):
                way.queue.append((now + way.delay, raw, erased))

    def inject(self, raw, erased=False):
        """Puts a unit on the way to the RTL, between two of the peer's."""
        self.to_rtl.queue.append((self.now, raw, erased))

    async def _drive(self):
        dut, queue, width = self.dut, self.to_rtl.queue, BUILD.data_bytes
        rising = RisingEdge(dut.aclk)
        valid, data, last, user = (getattr(dut, f"s_axis_phy_{s}") for s in ("tvalid", "tdata", "tlast", "tuser"))
        while True:
            if not queue or queue[0][0] > self.now:
                await rising_edges(dut.aclk, 4)
                continue
            _, raw, erased = queue.popleft()
            for at in range(0, len(raw), width):
                valid.value = 1
                data.value = int.from_bytes(raw[at : at + width], "little")
                last.value = int(at + width >= len(raw))
                user.value = int(erased)
                await rising
            valid.value = 0

    def packets(self, count, longest=None):
        return [self.rng.randbytes(self.rng.randint(8, longest or longest_packet(BUILD) // 2)) for _ in range(count)]

    def offer(self, to_peer, from_peer):
        """Gives packets to both users."""
        self.tasks.append(self.source.start(to_peer))
        self.peer.backlog.extend(from_peer)

    @property
    def at_rest(self):
        check, peer = self.check, self.peer
        return (
            all(t.done() for t in self.tasks)
            and check.up
            and check.sender.resolved
            and check.sender.peer_rx_base == check.sender.next_fsn
            and check.delivered_count == len(check.receiver.ready)
            and peer.settled
        )

    async def until(self, condition, limit, what):
        """Waits for a condition, in steps."""
        for _ in range(limit // 100):
            if self.failure is not None:
                raise self.failure
            if condition():
                return
            await rising_edges(self.dut.aclk, 100)
        peer = self.peer
        raise AssertionError(
            f"{what} did not happen in {limit} clocks: up {self.check.up}, peer state {peer.state}, FSN {peer.tx.base} …"
            f" {peer.tx.stored}; RTL: FSN {self.check.sender.tx_base} … {self.check.sender.next_fsn}, packets"
            f" {len(self.check.sender.packets)}, delivered {self.check.delivered_count} of {len(self.check.receiver.ready)}"
        )

    async def settle(self, limit=200_000):
        """Waits until all is delivered or given up and nothing moves any more."""
        still, before = 0, -1
        for _ in range(limit // 250):
            await rising_edges(self.dut.aclk, 250)
            if self.failure is not None:
                raise self.failure
            still = still + 250 if self.at_rest and self.events == before else 0
            before = self.events
            if still > 2 * TIMES["POLL_TIMEOUT"]:
                return
        await self.until(lambda: False, 100, "rest")

    async def check_counters(self):
        """Compares all counters at rest."""
        counters = await self.registers.counters()
        self.check.finish(counters)
        return counters

    def restart_checker(self):
        """The RTL was reset: nothing that the checker knows holds any more."""
        self.check = self._new_checker()
        self.resets += 1
        self.from_rtl.queue.clear()
