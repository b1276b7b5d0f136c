# SPDX-License-Identifier: Apache-2.0
"""Runs a job on the C++ simulator. The formats of its files are described in sim/pair/README.md."""

import json
import os
import struct
import subprocess
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

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
    phy_capture: str | None = None
    """File of the units on both PHYs, whose times are of a clock with `clock_hz`."""
    clock_hz: float = 0.0
    traces: dict[str, bytes] = field(default_factory=dict)
    """Erasures of the ways `ab` and `ba`: of each unit 1 if it is erased, else 0."""

    def text(self, packets, deliveries, traces=None):
        """The job as the program reads it; `traces`: the files that hold them."""
        lines = [f"mode={self.mode}"]
        lines += [f"setup={address:#x} {value:#x}" for address, value in self.setup]
        lines += [f"start={address:#x} {value:#x}" for address, value in self.start]
        lines += [f"register={name} {address:#x}" for name, address in self.registers.items()]
        lines += [f"counter={name} {address:#x}" for name, address in self.counters.items()]
        for key in ("frames", "window", "check_clocks", "idle_clocks", "max_clocks"):
            lines.append(f"{key}={getattr(self, key)}")
        lines += [f"packets={packets}", f"deliveries={deliveries}"]
        lines += [f"report_s={self.report_s!r}"] if self.report_s else []
        lines += [f"waves={self.waves}"] if self.waves else []
        lines += [f"phy_capture={self.phy_capture}", f"clock_hz={self.clock_hz!r}"] if self.phy_capture else []
        lines += [f"trace_{way}={path}" for way, path in (traces or {}).items()]
        return "\n".join(lines) + "\n"


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
        packets, deliveries, jobfile = (Path(folder) / name for name in ("packets", "deliveries", "job"))
        write_packets(packets, job.packets)
        traces = {way: Path(folder) / f"trace_{way}" for way in job.traces}
        for way, path in traces.items():
            path.write_bytes(job.traces[way])
        jobfile.write_bytes(os.fsencode(job.text(packets, deliveries, traces)))
        report = _execute([str(program), str(jobfile)], progress, watch)
        if watch:
            watch({"clock": report["clocks"], "waiting": 0, "registers": report["registers"]})
        result = Result(report)
        if deliveries.exists():
            result.sent, result.deliveries = read_deliveries(deliveries, report["start"])
    return result


def _execute(command, progress, watch):
    """Standard output is a file: a pipe, which nobody reads while standard error is read, would hold up the program once it is full."""
    with tempfile.TemporaryFile("w+") as printed, subprocess.Popen(command, stdout=printed, stderr=subprocess.PIPE, text=True) as process:
        said = follow(process, progress, watch)
        process.wait()
        printed.seek(0)
        output = printed.read()
    if process.returncode:  # what an assertion says is on standard output
        words = " ".join(filter(None, [*output.splitlines(), said]))
        raise UserError(words or f"The simulator ended with code {process.returncode}.")
    return json.loads(output)


def follow(process, progress=None, watch=None):
    """Reads a simulator's standard error to its end: passes its lines of progress, and its reports, on, and returns everything else."""
    other = []
    try:
        for line in process.stderr:
            words = line.split()
            if len(words) == 3 and words[0] == "progress":
                if progress:
                    progress(int(words[1]), int(words[2]))
            elif words[:1] == ["report"]:
                if watch:
                    watch(json.loads(line.partition(" ")[2]))
            else:
                other.append(line.strip())
    except BaseException:
        process.kill()
        raise
    return " ".join(filter(None, other))
