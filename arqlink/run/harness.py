# SPDX-License-Identifier: Apache-2.0
"""Runs a job on the C++ simulator. The formats of its files are described in sim/pair/README.md."""

import json
import struct
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

from arqlink import job as jobs
from arqlink.errors import UserError

NEVER = 2**64 - 1
REPORT_S = 0.5
"""Seconds of real time between two reports of a run that is watched."""


@dataclass
class Job:
    """Mirror of the harness' job: see sim/pair/README.md for the keys."""

    mode: str
    registers: dict
    counters: dict
    setup: list = field(default_factory=list)
    start: list = field(default_factory=list)
    packets: list = field(default_factory=list)
    """(bytes, clock from which the packet is offered)"""
    frames: int = 0
    window: int = 0
    check_clocks: int = 10_000
    idle_clocks: int = 1_000_000
    max_clocks: int = NEVER
    report_s: float = 0.0
    """Seconds of real time between two reports; 0: none is made."""
    waves: Path | None = None
    phy_capture: Path | None = None
    """File of the units on both PHYs, whose times are of a clock with `clock_hz`."""
    clock_hz: float = 0.0
    traces: dict[str, bytes] = field(default_factory=dict)
    """Erasures of the ways `ab` and `ba`: of each unit 1 if it is erased, else 0."""

    def described(self, packets, deliveries, traces):
        """The job as the program reads it; the packets, and traces by their ways, are in these files."""
        files = {"packets": packets, "deliveries": deliveries, "waves": self.waves, "phy_capture": self.phy_capture}
        named = {name: jobs.file_name(path) for name, path in files.items()}
        return vars(self) | named | {"traces": [jobs.file_name(traces.get(way)) for way in ("ab", "ba")]}


@dataclass
class Delivery:
    """A packet that came out; `begin` and `clock`, those of its first and last beat, count from the start of the
    traffic."""

    data: bytes
    begin: int
    clock: int
    aborted: bool


@dataclass
class Result:
    """What a run gave. `sent` holds for each accepted packet the clocks of its last beat in and of the start of its
    first transmission (None: never)."""

    report: dict
    sent: list = field(default_factory=list)
    deliveries: list = field(default_factory=list)

    def __getitem__(self, name):
        return self.report["registers"][name]

    @property
    def speed(self):
        """Simulated clocks a second of real time, and a second of processor time; part of every report."""
        clocks = self.report["clocks"]
        return {
            "cycles": clocks,
            "cycles_per_s": clocks / max(self.report["wall_s"], 1e-6),
            "cycles_per_cpu_s": clocks / max(self.report["cpu_s"], 1e-6),
        }


def packet_record(data, clock=0):
    """A packet to send as the simulator takes it."""
    return struct.pack("<IQ", len(data), clock) + data


def take_deliveries(raw, offset=0, start=0):
    """(deliveries, offset behind the last whole record) of the records in `raw` from `offset` on; clocks count from `start`."""
    header = struct.Struct("<IIQQ")
    deliveries = []
    while offset + header.size <= len(raw):
        length, user, begin, clock = header.unpack_from(raw, offset)
        data = bytes(raw[offset + header.size : offset + header.size + length])
        if len(data) < length:
            break
        offset += header.size + length
        deliveries.append(Delivery(data, begin - start, clock - start, bool(user)))
    return deliveries, offset


def write_packets(path, packets):
    with open(path, "wb") as handle:
        for data, clock in packets:
            handle.write(packet_record(data, clock))


def read_deliveries(path, start):
    """Returns (sent, deliveries) with clocks relative to `start`."""
    raw = Path(path).read_bytes()
    if raw[:4] != b"ARQD":
        raise UserError("The simulator's delivery file is not understood.")
    (count,) = struct.unpack_from("<Q", raw, 4)
    sent = [(accepted - start, None if first == NEVER else first - start) for accepted, first in struct.iter_unpack("<QQ", raw[12 : 12 + 16 * count])]
    deliveries, offset = take_deliveries(raw, 12 + 16 * count, start)
    if offset != len(raw):
        raise UserError("The simulator's delivery file ends within a packet.")
    return sent, deliveries


def run(program, job, progress=None, watch=None):
    """Runs the job; `progress(done, total)` is called now and then, and `watch(report)` with each report, of which the last one is of the end."""
    if watch:
        job = replace(job, report_s=REPORT_S)
    with tempfile.TemporaryDirectory(prefix="arqlink-") as folder:
        packets, deliveries = (Path(folder) / name for name in ("packets", "deliveries"))
        write_packets(packets, job.packets)
        traces = {way: Path(folder) / f"trace_{way}" for way in job.traces}
        for way, path in traces.items():
            path.write_bytes(job.traces[way])
        report = jobs.run(program, job.described(packets, deliveries, traces), listener(progress, watch))
        if watch:
            watch({"clock": report["clocks"], "waiting": 0, "registers": report["registers"]})
        result = Result(report)
        if deliveries.exists():
            result.sent, result.deliveries = read_deliveries(deliveries, report["start"])
    return result


def listener(progress=None, watch=None):
    """Takes lines of progress, and reports, from what a simulator says, and passes them on."""

    def take(line):
        name, _, rest = line.strip().partition(" ")
        if name == "progress" and progress:
            progress(*map(int, rest.split()))
        elif name == "report" and watch:
            watch(json.loads(rest))
        return name in ("progress", "report")

    return take
