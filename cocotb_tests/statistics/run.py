# SPDX-License-Identifier: Apache-2.0
"""Samples one point of the grid on a pair of links.

Only the bookkeeping is asserted here: every frame, transmission, unit and packet shows up exactly once. Whether the
counts agree with the formulas is judged in test_statistics.py.
"""

import time

from .grid import PACKET_FRAMES

UNIT_BYTES = 8
STEP = 10_000
PATIENCE = 2_000_000
CHECKER = ("RECEIVED", "RECEIVED_BYTES", "LOST", "DISORDERED", "CORRUPT", "ABORTED")


async def run(pair, point):
    """What was counted in a run of `point`."""
    began = time.monotonic()
    await pair.start_link(point.k, point.n, point.nr, point.delta, point.delay)
    await pair.start_channel(pair.ab, point.seed, point.p, point.burst, point.mode)
    await pair.start_channel(pair.ba, point.seed ^ 0x5A5A5A5A, point.feedback, mode=point.mode)
    hellos = await pair.ab.read("CONTROL_UNITS")
    first_clock = pair.clock()
    await pair.start_traffic(PACKET_FRAMES * point.k * UNIT_BYTES, point.packets, point.gap)
    crossing = await traffic_ends(pair, point)
    last_clock = pair.clock()

    a, b = await pair.a.counters(), await pair.b.counters()
    units, erased, control = [await pair.ab.read(name) for name in ("UNITS", "ERASED", "CONTROL_UNITS")]
    check_books(point, a, b, units, erased)
    checker = await one_more_packet(pair, point)
    check_packets(point, a, checker)
    speed = pair.clock() / (time.monotonic() - began)
    return {
        "a": a,
        "b": b,
        "units": units,
        "erased": erased,
        "control_units": control - hellos,
        "checker": checker,
        "clocks": last_clock - first_clock,
        "mean_crossing_clocks": crossing,
        "clocks_per_s": round(speed),
    }


async def traffic_ends(pair, point):
    """Waits until every frame is acknowledged or abandoned and every packet delivered or dropped.

    Returns the mean time from end to end of a packet in clocks, by Little's law: mean number of packets between
    generator and checker over their rate. It is of use only where packets come slower than the line can carry them.
    """
    total = point.packets * PACKET_FRAMES
    samples, first = [], pair.clock()

    async def resolved():
        sent = await pair.traffic_a.read("SENT")
        if sent < point.packets:
            samples.append((sent, pair.clock(), await pair.traffic_b.read("RECEIVED")))
            return False, sent
        a = await pair.a.counters(("tx_frames_acked", "tx_frames_abandoned"))
        return sum(a.values()) == total, tuple(a.values())

    await pair.wait(resolved, "frames without an outcome", 2000 if point.gap else STEP, PATIENCE)

    async def delivered():
        lost = (await pair.a.counters(("tx_packets_lost",)))["tx_packets_lost"]
        b = await pair.b.counters(("rx_packets", "rx_frames_skipped"))
        abandoned = (await pair.a.counters(("tx_frames_abandoned",)))["tx_frames_abandoned"]
        done = b["rx_packets"] + lost == point.packets and b["rx_frames_skipped"] == abandoned
        return done, (lost, abandoned, tuple(b.values()))

    await pair.wait(delivered, "packets neither delivered nor dropped", 2000, PATIENCE)
    lost = (await pair.a.counters(("tx_packets_lost",)))["tx_packets_lost"]
    inside = sum(sent - received for sent, _, received in samples) / len(samples)
    # Lost packets stay in sent - received for ever: half of them, on average over the run, have to come off.
    inside -= lost / 2
    sent, clock, _ = samples[-1]
    return inside * (clock - first) / max(1, sent)


def check_books(point, a, b, units, erased):
    """Every frame, transmission and unit is counted exactly once."""
    frames = point.packets * PACKET_FRAMES
    received = [a[f"tx_acked_{i}"] for i in range(16)]
    books = {
        "frames sent": (a["tx_frames"], frames),
        "packets accepted": (a["tx_packets"], point.packets),
        "frames resolved": (a["tx_frames_acked"] + a["tx_frames_abandoned"], frames),
        "frames flushed": (a["tx_frames_flushed"], 0),
        "outcomes": (a["tx_outcomes_ok"] + a["tx_outcomes_failed"], frames + a["tx_retx"]),
        "outcomes of an outage": (a["tx_outcomes_outage"], 0),
        "received transmissions": (a["tx_outcomes_ok"], a["tx_frames_acked"]),
        "outcomes at the receiver": (b["rx_outcomes_ok"], a["tx_outcomes_ok"]),
        "failures at the receiver": (b["rx_outcomes_failed"], a["tx_outcomes_failed"]),
        "duplicates": (b["rx_duplicates"], 0),
        "frames by attempt": (sum(received), a["tx_frames_acked"]),
        "frames clean or repaired": (b["rx_frames_clean"] + b["rx_frames_repaired"], a["tx_frames_acked"]),
        "frames skipped": (b["rx_frames_skipped"], a["tx_frames_abandoned"]),
        "attempts beyond delta": (sum(received[min(15, int(min(point.delta, 15)) + 1) :]) if point.delta < 15 else 0, 0),
        "packets delivered": (b["rx_packets"], point.packets - a["tx_packets_lost"]),
        "units of first transmissions": (a["tx_units"], frames * point.n),
        "units of retransmissions": (a["tx_retx_units"], a["tx_retx"] * point.nr),
        "units in the channel": (units, a["tx_units"] + a["tx_retx_units"]),
        "units out of the channel": (b["rx_units"] + b["rx_units_surplus"], units - erased),
        "units late": (b["rx_units_late"], 0),
        "units invalid": (b["rx_units_invalid"], 0),
        "control units invalid": (a["rx_control_invalid"] + b["rx_control_invalid"], 0),
        "restarts": (a["link_restarts"] + b["link_restarts"], 0),
        "outages": (a["link_outages"] + b["link_outages"], 0),
    }
    wrong = {name: pair for name, pair in books.items() if pair[0] != pair[1]}
    assert not wrong, f"(counted, expected): {wrong}; A {a}; B {b}"
    if point.delta > 14:
        assert not a["tx_frames_abandoned"] and not a["tx_packets_lost"]


async def one_more_packet(pair, point):
    """Sends one more packet that nothing is erased of, so that packets lost at the end show as a gap."""
    for channel in (pair.ab, pair.ba):
        await channel.write("CTRL", enable=0)
    await pair.traffic_a.write("COUNT", point.packets + 1)
    before = await pair.traffic_b.read("RECEIVED")

    async def arrived():
        received = await pair.traffic_b.read("RECEIVED")
        return received == before + 1, received

    await pair.wait(arrived, "the last packet", 2000, PATIENCE)
    return {name: await pair.traffic_b.read(name) for name in CHECKER}


def check_packets(point, a, checker):
    lost = a["tx_packets_lost"]
    assert checker == {
        "RECEIVED": point.packets + 1 - lost,
        "RECEIVED_BYTES": (point.packets + 1 - lost) * PACKET_FRAMES * point.k * UNIT_BYTES,
        "LOST": lost,
        "DISORDERED": 0,
        "CORRUPT": 0,
        "ABORTED": 0,
    }
