# SPDX-License-Identifier: Apache-2.0
"""Sends a file, or the packets of a capture, through the RTL link, and finds what came of each packet."""

from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from arqlink import files
from arqlink.errors import UserError
from arqlink.model import prospects
from arqlink.report.tables import ranges
from arqlink.run import books, harness, pair, pair_simulator, pcap
from arqlink.run import phy_capture as captures
from arqlink.run.evaluation import Evaluation

BACK_S = 1
"""How far a capture's times may go back, as those of its interfaces do among each other. Further back is a clock that was set: everything behind a
packet of the future would wait for it."""


class Pace(str, Enum):
    line = "line"
    capture = "capture"


@dataclass
class Traffic:
    """Packets to send, and the capture that they are from; `times` are seconds from the first one."""

    packets: list
    times: list | None = None
    capture: pcap.Capture | None = None


@dataclass
class Matched:
    """Which packets came out. `order` holds the index of each packet delivered, or None where it is none of those sent."""

    order: list
    lost: list = field(default_factory=list)


@dataclass
class Outcome:
    """What a transfer gave: the report that `--json` prints, what came out, and `times_ms` of it."""

    report: dict
    deliveries: list
    matched: Matched
    times_ms: list


def load(path, packet_bytes):
    """Reads the input: a capture's packets, or a file cut into packets."""
    data = files.read(path)
    if pcap.is_capture(data):
        capture = pcap.parse(data, f"The capture {files.label(path, 'on standard input')}")
        times = [(t - capture.times[0]) / 1e9 for t in capture.times]
        return Traffic(capture.packets, times, capture)
    return Traffic([data[i : i + packet_bytes] for i in range(0, len(data), packet_bytes)])


def match(packets, delivered, in_order):
    """Finds which packet each delivery is. Packets of equal content cannot be told apart: the earliest is chosen."""
    where = defaultdict(deque)
    for i, packet in enumerate(packets):
        where[packet].append(i)
    order, after = [], -1
    for data in delivered:
        known = where.get(data)
        while in_order and known and known[0] < after:
            known.popleft()
        order.append(known.popleft() if known else None)
        if in_order and order[-1] is not None:
            after = order[-1]
    found = set(order)
    return Matched(order, [i for i in range(len(packets)) if i not in found])


def check(packets, limit):
    """Refuses packets that the link does not carry: those without bytes, and those longer than `limit`."""
    if not packets:
        raise UserError("There is nothing to send: the input has no packets.")
    for refused, why in (
        ([i for i, packet in enumerate(packets) if not packet], "without bytes, which a stream cannot carry"),
        ([i for i, packet in enumerate(packets) if len(packet) > limit], f"longer than {limit} bytes, the most that this configuration carries"),
    ):
        if refused:
            raise UserError(f"The input has packets {why}; counted from 0: {ranges(refused)}.")


def times_ms(setup, result, matched):
    """For each packet that was sent and came out, in the order of delivery: its number, the start of its first transmission, and its first
    beat out of the link, in ms. Packets leave in one piece, when they are complete, so the time between is what the model takes as the delay."""
    first = [begin for _, begin in result.sent]
    found = [(i, first[i], d.begin) for i, d in zip(matched.order, result.deliveries) if i is not None and i < len(first)]
    return [(i, 1e3 * begin / setup.clock_hz, 1e3 * out / setup.clock_hz) for i, begin, out in found if begin is not None]


def delay_trace(packets, times):
    """CSV of all packets by their numbers, with the times of `times_ms`, which are empty for those that did not come out."""
    known = {i: (begin, out) for i, begin, out in times}
    lines = ["packet,bytes,sent_ms,delivered_ms,delay_ms"]
    for i, packet in enumerate(packets):
        begin, out = known.get(i, (None, None))
        lines.append(f"{i},{len(packet)}," + (",," if out is None else f"{begin:.6f},{out:.6f},{out - begin:.6f}"))
    return "\n".join(lines) + "\n"


def utilization(setup, result, delivered_bytes):
    """Share of the payload capacity that was delivered data, from the first unit sent to the last packet out, without
    the propagation delay. The last retransmissions count, so a short transfer stays below α."""
    begins = [first for _, first in result.sent if first is not None]
    if not begins or not result.deliveries:
        return None
    clocks = result.deliveries[-1].clock - begins[0] - setup.delay_clocks
    if clocks <= 0:
        return None
    return delivered_bytes / setup.unit_bytes * setup.unit_clocks / clocks


def offered(times, clock_hz):
    """The clocks from which on packets are offered: by their times, and none before the one in front of it."""
    latest = np.maximum.accumulate(times)
    if any(back := latest - times > BACK_S):
        place = int(np.argmax(back))
        raise UserError(
            f"Packet {place} (counted from 0) was captured {latest[place] - times[place]:.6g} s before one in front of it, so there is no pace to keep. "
            "Sort the capture with reordercap, or leave --pace away."
        )
    return np.round(latest * clock_hz).astype(int).tolist()


def transfer(setup, traffic, pace=Pace.line, waves=None, progress=None, phy_capture=None, watch=None):
    """Sends the traffic through the RTL; returns an Outcome. `watch`: a RunSource to show the run."""
    packets = traffic.packets
    check(packets, setup.limits["max_packet_bytes"])
    model = setup.model_of_simulation([len(packet) for packet in packets])
    frames = sum(setup.frames(len(packet)) for packet in packets)
    prospects.check(setup, model, frames)
    if phy_capture:
        captures.check(setup, model, frames)
    clocks, span, what = None, 0.0, f"{len(packets)} packets over this link"
    if pace is Pace.capture:
        if traffic.times is None:
            raise UserError("Only a capture has times to keep; leave --pace away for a file.")
        clocks, span = offered(np.array(traffic.times), setup.clock_hz), max(traffic.times)
        what += f", whose times in the capture span {prospects.duration(span)},"
    prospects.foretell(prospects.seconds(setup, model, frames, span), what)
    program = pair_simulator.simulator(setup.config, waves=waves is not None)
    job = pair.send_job(setup, packets, clocks, waves, phy_capture)
    result = harness.run(program, job, progress, watch and watch.begin(job.frames))

    deliveries = [d for d in result.deliveries if not d.aborted]
    result.deliveries = deliveries
    matched = match(packets, [d.data for d in deliveries], setup.ord == 1)
    evaluation = Evaluation(setup, result, model)
    delivered_bytes = sum(len(d.data) for d in deliveries)
    times = times_ms(setup, result, matched)
    used = utilization(setup, result, delivered_bytes) if pace is Pace.line else None
    report = {
        "settings": {**setup.describe(), "pace": pace.value},
        "end": result.report["end"],
        "packets": len(packets),
        "bytes": sum(map(len, packets)),
        "delivered_packets": len(deliveries),
        "delivered_bytes": delivered_bytes,
        "lost_packets": matched.lost,
        "unexpected_packets": sum(i is None for i in matched.order),
        "in_order": matched.order == sorted(i for i in matched.order if i is not None),
        "identical": matched.order == list(range(len(packets))),
        **evaluation.entries(used),
        "delay_ms": _delay_entries(setup, np.array([out - begin for _, begin, out in times]), model, pace),
        **result.speed,
        "counters": {"a": evaluation.a, "b": evaluation.b},
    }
    return Outcome(report, deliveries, matched, times)


def judge(report):
    """Refuses a run that has not come to its end, or whose books are wrong; what there is of it has been written."""
    if report["end"] != "done":
        raise UserError("The run ended before every packet was delivered or given up, for nothing moved any more.")
    books.check(report["counters"]["a"], report["counters"]["b"], report["packets"], report["delivered_packets"])


def _delay_entries(setup, measured, model, pace):
    """Mean, median and 99th percentile. The model of ord = 1 is for a full line."""
    steps = model.unordered() if setup.ord == 0 else model.resequenced() if pace is Pace.line else None
    summaries: dict[str, tuple[Callable, Callable]] = {"mean": (np.mean, lambda s: s.mean())}
    for name, q in (("p50", 0.5), ("p99", 0.99)):
        summaries[name] = (lambda x, q=q: np.quantile(x, q), lambda s, q=q: s.quantile(q))
    return {
        name: {
            "measured": float(of_sample(measured)) if len(measured) else None,
            "model": 1e3 * of_steps(steps) if steps else None,
        }
        for name, (of_sample, of_steps) in summaries.items()
    }


def save(path, setup, traffic, outcome):
    """Writes the delivered file, or a capture with delivery times."""
    if traffic.capture is None:
        files.write(path, b"".join(d.data for d in outcome.deliveries))
        return
    source = traffic.capture
    out = pcap.Capture(link_type=source.link_type, nano=source.nano)
    for delivery, index in zip(outcome.deliveries, outcome.matched.order):
        time = source.times[0] + round(delivery.clock / setup.clock_hz * 1e9)
        out.add(delivery.data, time, None if index is None else source.wire_lengths[index])
    pcap.write(path, out)
