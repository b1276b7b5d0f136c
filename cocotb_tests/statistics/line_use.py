# SPDX-License-Identifier: Apache-2.0
"""Line use of a link whose users always send, on any configuration.

The PHY is always ready, persistency infinite, and the window ten times as long as the round trip.
"""

from typing import NamedTuple

from arqlink.rtl import verilog
from arqlink.run import pair_simulator
from arqlink.run.register_console import RegisterConsole
from cocotb_tests.lib.limits import CONTROL_BYTES, HEADER_AND_CRC, said_by
from tests.seeds import SEED

from .bench import ConsolePair, complete
from .formulas import Expected
from .grid import INFINITE, PACKET_FRAMES

LONGEST_DELAY = 500
ROUND_TRIPS = 10
"""Clocks each way, where the window holds so many round trips; else fewer."""
LINE_SEED = 0x4C696E65 + SEED - 1
"""docs/statistics.md has the numbers of the first."""
COUNTER_PASS = 255
"""Clocks (docs/counter_bank.md)."""
COUNTED = ("tx_phy_idle", "tx_units", "tx_retx_units", "tx_control_units")
CHECKS = ("DISORDERED", "CORRUPT", "LOST", "ABORTED")


class Point(NamedTuple):
    """A user who always sends `frames` frames, with data units erased at rate p, and N' = N; in packets of `packet_units` units, of which each is a
    frame with the parity units of a whole one, or in long packets. `settings` change values of the configuration."""

    config: str
    k: int
    n: int
    p: float
    frames: int
    packet_units: int = 0
    settings: tuple[str, ...] = ()

    @property
    def name(self):
        units = f"-{self.packet_units}unit" if self.packet_units else ""
        return f"{self.config}{''.join(f'-{setting}' for setting in self.settings)}-k{self.k}-n{self.n}{units}-p{self.p:g}"


def on_a_pair(config, run, settings=()):
    """What the coroutine `run(pair, limits of its build)` returns."""
    build = said_by(verilog.generate(pair_simulator.TOP, config, settings))
    with RegisterConsole(pair_simulator.simulator(config, settings=settings)) as console:
        return complete(run(ConsolePair(console), build))


def measure(point):
    """Share of PHY beats in use and of beats that carry data units, and goodput over α; what is due is asserted."""
    return on_a_pair(point.config, lambda pair, build: line_use(pair, build, point), point.settings)


async def traffic(pair):
    """(clock, counters of A, bytes that the checker got) of about now."""
    before = pair.clock()
    counters = await pair.a.counters(COUNTED)
    return before, counters, await pair.traffic_b.read("RECEIVED_BYTES")


async def line_use(pair, build, point):
    p, frames = point.p, point.frames
    k = point.packet_units or point.k
    n = k + point.n - point.k
    data_bytes, unit_bytes, unit_clocks = build.data_bytes, build.unit_bytes, build.data_unit_beats
    frame_clocks = n * unit_clocks
    delay = min(LONGEST_DELAY, (build.window_frames * frame_clocks // ROUND_TRIPS - frame_clocks) // 2)
    packet_frames = 1 if point.packet_units else min(PACKET_FRAMES, build.max_packet_bytes // (k * unit_bytes))

    await pair.start_link(point.k, point.n, point.n, INFINITE, delay)
    await pair.start_channel(pair.ab, LINE_SEED, p)
    await pair.start_traffic(packet_frames * k * unit_bytes)
    await pair.run(20 * packet_frames * frame_clocks + 4 * delay)
    first, counters, received = await traffic(pair)
    await pair.run(frames * frame_clocks)
    last, after, received_after = await traffic(pair)

    clocks = last - first
    sent = {name: after[name] - counters[name] for name in COUNTED}
    units = sent["tx_units"] + sent["tx_retx_units"]
    idle = sent["tx_phy_idle"]
    control_clocks = sent["tx_control_units"] * CONTROL_BYTES // data_bytes
    # Every clock is idle or carries a beat of a unit; a snapshot may cut units, and is of a clock within the next pass of the counters.
    assert abs(idle + units * unit_clocks + control_clocks - clocks) <= 2 * unit_clocks + COUNTER_PASS
    use = 1 - idle / clocks
    data_use = units * unit_clocks / clocks
    capacity = clocks * data_bytes * unit_bytes / (unit_bytes + HEADER_AND_CRC)
    goodput = (received_after - received) / capacity
    expected = Expected(k, n, n, INFINITE, p, packet_frames)
    result = {
        "clocks": clocks,
        "line_use": use,
        "data_unit_use": data_use,
        "goodput": goodput,
        "alpha": expected.alpha,
        "goodput_over_alpha": goodput / expected.alpha,
    }
    for name in CHECKS:
        assert await pair.traffic_b.read(name) == 0, name
    assert (await pair.b.counters(["rx_overflow"]))["rx_overflow"] == 0
    if p == 0:
        assert use >= 0.995 and data_use >= 0.99, result
        assert sent["tx_retx_units"] == 0
    assert goodput >= 0.99 * expected.alpha, result
    return result


async def both_ways(pair, build, k, n, frames):
    """Users at both ends always send, frames of one to K units, and nothing is erased: the control units in between cost no data unit."""
    frame_clocks = n * build.data_unit_beats
    await pair.start_link(k, n, n, INFINITE, 100)
    for traffic in (pair.traffic_a, pair.traffic_b):
        await traffic.write("LENGTH_MIN", 8)
        await traffic.write("LENGTH_MAX", k * build.unit_bytes)
    for traffic in (pair.traffic_a, pair.traffic_b):
        await traffic.write("CTRL", generate=1, check=1, random_length=1)
    await pair.run(frames * frame_clocks)
    for link, traffic in ((pair.a, pair.traffic_a), (pair.b, pair.traffic_b)):
        counters = await link.counters(["rx_overflow", "rx_units", "tx_retx", "rx_frames_repaired"])
        assert counters["rx_units"] > frames
        assert counters["rx_overflow"] == counters["tx_retx"] == counters["rx_frames_repaired"] == 0, counters
        for name in CHECKS:
            assert await traffic.read(name) == 0, name
