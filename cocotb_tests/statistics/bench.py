# SPDX-License-Identifier: Apache-2.0
"""`ArqPair` as a Monte Carlo machine: traffic, channels and counters are hardware, Python only touches registers.

Between two accesses nothing but the clock runs, so the simulator is as fast as the model. The same steps run in two simulators: those that
look at ports in cocotb, the others in `arqsim`, which starts at once.
"""

import asyncio
from types import SimpleNamespace

import cocotb
from cocotb.clock import Clock
from cocotb.handle import Immediate
from cocotb.triggers import Timer
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiResp

from cocotb_tests.lib.edges import rising_edges
from cocotb_tests.lib.limits import built
from cocotb_tests.lib.regs import LinkRegisters, Registers, master, regs
from cocotb_tests.model.contradictions import Contradictions
from cocotb_tests.model.units import DataUnit, parse
from cocotb_tests.system.streams import watch_units

PERIOD_NS = 10
UP = 3
ALWAYS = 0xFFFFFFFF
INFINITE_DELTA = 15
PRESET_ZFEC = 0


def fraction(probability):
    return min(round(probability * 2**32), ALWAYS)


class Pair:
    """Registers of the pair: links a and b, channels ab and ba, traffic at both ends. `master`: its AXI4-Lite port."""

    def __init__(self, master):
        self.master = master
        self.a, self.b = (LinkRegisters(self.master, base) for base in (0x0000, 0x1000))
        self.ab, self.ba = (Registers(self.master, regs.ARQCHAN, base) for base in (0x2000, 0x3000))
        self.traffic_a, self.traffic_b = (Registers(self.master, regs.ARQTRAF, base) for base in (0x4000, 0x5000))

    async def run(self, clocks):
        raise NotImplementedError

    def clock(self):
        """Clocks so far."""
        raise NotImplementedError

    async def wait(self, condition, what, step, patience):
        """Runs in steps of `step` clocks until `condition` (a coroutine function) holds; fails after `patience`
        clocks in which what it returns beside did not change."""
        last, still = None, 0
        while True:
            holds, progress = await condition()
            if holds:
                return
            still = 0 if progress != last else still + step
            assert still < patience, f"no progress for {patience} clocks: {what}, at {progress}"
            last = progress
            await self.run(step)

    async def start_link(self, k, n, nr, delta, delay):
        """Sets both ends and the delays, and waits until the link is up; nothing is erased yet."""
        for link in (self.a, self.b):
            await link.write("CTRL", enable=0)
        for channel in (self.ab, self.ba):
            await channel.write("DELAY", delay)
        for link in (self.a, self.b):
            await link.write("POLL_TIMEOUT", 2 * delay + 5000)
            await link.write("HELLO_INTERVAL", 500)
            await link.write("KEEPALIVE", 1 << 24)
            await link.write("OUTAGE_TIMEOUT", 0)
            await link.write("STATUS_INTERVAL", 0)
            await link.write("CODE", k=k, n_first=n, n_retx=nr, preset=PRESET_ZFEC)
            await link.write("ARQ", delta=min(delta, INFINITE_DELTA), ord=1, outage_freeze=1)
            await link.write("APPLY", apply=1)
            await link.write("CTRL", enable=1)

        async def up():
            states = [await link.read("STATUS", "state") for link in (self.a, self.b)]
            return states == [UP, UP], None

        await self.wait(up, "the link does not come up", 500, 20_000 + 8 * delay)
        for link in (self.a, self.b):
            await link.write("COUNTERS", clear=1)
            while await link.read("COUNTERS", "busy"):
                pass

    async def start_channel(self, channel, seed, p=0.0, burst=None, mode=0):
        await channel.write("MODE", mode)
        await channel.write("P_GOOD", fraction(burst.p_good if burst else p))
        if burst:
            await channel.write("P_BAD", fraction(burst.p_bad))
            await channel.write("P_GB", fraction(burst.p_gb))
            await channel.write("P_BG", fraction(burst.p_bg))
        await channel.write("CTRL", enable=int(p > 0 or burst is not None), gilbert_elliott=int(burst is not None))
        await channel.write("SEED", seed)

    async def start_traffic(self, packet_bytes, packets=0, gap=0):
        """A sends to B; 0 packets: without end."""
        await self.traffic_b.write("CTRL", check=1)
        for name in ("LENGTH_MIN", "LENGTH_MAX"):
            await self.traffic_a.write(name, packet_bytes)
        await self.traffic_a.write("GAP", gap)
        await self.traffic_a.write("COUNT", packets)
        await self.traffic_a.write("CTRL", generate=1)


def clock_now():
    """Rising edges so far in cocotb; the falling edge behind one belongs to the same clock."""
    return int(get_sim_time("ns") // PERIOD_NS)


class PortsPair(Pair):
    """The pair in cocotb, whose ports can be looked at."""

    def __init__(self, dut):
        self.dut = dut
        for end in "ab":
            for name in ("tvalid", "tdata", "tkeep", "tlast", "tuser"):
                getattr(dut, f"{end}_s_axis_{name}").value = 0
            getattr(dut, f"{end}_m_axis_tready").value = 1
        dut.aresetn.value = dut.ab_erase.value = dut.ba_erase.value = 0
        super().__init__(master(dut))

    async def reset(self):
        # A clock in Python would cost more than the link.
        self.dut.aresetn.value = Immediate(0)
        Clock(self.dut.aclk, PERIOD_NS, unit="ns", impl="gpi").start()
        await rising_edges(self.dut.aclk, 5)
        self.dut.aresetn.value = 1
        await rising_edges(self.dut.aclk, 5)

    async def run(self, clocks):
        await Timer(clocks * PERIOD_NS, unit="ns")

    def clock(self):
        return clock_now()

    def watch_contradictions(self):
        """Checks all that both ends say from now on. It costs more than the link, so runs that only read counters go without."""
        build = built()
        for phy, tap in (("a_phy", "ba_tap"), ("b_phy", "ab_tap")):
            monitor = Contradictions.of(build)
            for prefix, found in ((phy, lambda raw, erased, monitor=monitor: monitor.sent(raw)), (tap, monitor.received)):
                cocotb.start_soon(watch_units(self.dut, prefix, build.data_bytes, found))

    async def watch_data_units(self, prefix, data_bytes, unit_bytes, found):
        """Calls found(unit, clock of its first beat, clock of its last beat) with each data unit on `prefix`."""
        begin = 0

        def begins():
            nonlocal begin
            begin = self.clock()

        def ends(raw, erased):
            unit = parse(raw, unit_bytes)
            if isinstance(unit, DataUnit):
                found(unit, begin, self.clock())

        await watch_units(self.dut, prefix, data_bytes, ends, begins=begins)


class ConsolePair(Pair):
    """The pair in `arqsim`; nothing in it waits, so `complete()` runs its coroutines."""

    def __init__(self, console):
        self._console = console
        super().__init__(SimpleNamespace(read=self._read, write=self._write))

    async def _read(self, address, length):
        return SimpleNamespace(data=self._console.read(address).to_bytes(length, "little"), resp=AxiResp.OKAY)

    async def _write(self, address, data):
        self._console.write(address, int.from_bytes(data, "little"))
        return SimpleNamespace(resp=AxiResp.OKAY)

    async def run(self, clocks):
        self._console.run(clocks)

    def clock(self):
        self._console.run(0)
        return self._console.clock


def complete(coroutine):
    """What a coroutine of a ConsolePair returns."""
    return asyncio.run(coroutine)


async def started(dut):
    """The pair after its reset."""
    pair = PortsPair(dut)
    await pair.reset()
    return pair


def log(text, *arguments):
    cocotb.log.info(text, *arguments)
