# SPDX-License-Identifier: Apache-2.0
"""Runs of packets over a link model, with losses that follow from what a unit is, so that both models lose the same ones."""

from dataclasses import dataclass, field
from pathlib import Path

from arqlink import job
from arqlink.link import builds, description


@dataclass(frozen=True)
class Build:
    """What both ends are built with: struct Build of sim/link/link_model.h."""

    data_bytes: int
    unit_bytes: int
    window_frames: int
    max_packet_bytes: int
    max_k: int
    max_parity: int

    @property
    def unit_clocks(self):
        return (self.unit_bytes + 16) // self.data_bytes


@dataclass(frozen=True)
class EndSettings:
    """What is set at an end: struct EndSettings. Timers in clocks."""

    k: int
    n_first: int
    n_retx: int
    delta: int = 15
    in_order: bool = True
    outage_freeze: bool = True
    poll_timeout: int = 10_000
    hello_interval: int = 2_000
    keepalive: int = 40_000
    outage_timeout: int = 0
    status_interval: int = 0


@dataclass(frozen=True)
class Losses:
    """struct KeyedLosses: probabilities that a data unit, or a control unit, is erased, and that a block of frames, or of
    feedback, is; and the clocks between which all units are."""

    data: float = 0.0
    control: float = 0.0
    burst: float = 0.0
    control_burst: float = 0.0
    burst_frames: int = 16
    seed: int = 1
    dark_from: int = 0
    dark_until: int = 0


@dataclass(frozen=True)
class Packet:
    """A packet of `size` bytes that the user of `end` ("A" or "B") offers at `clock`."""

    end: str
    clock: int
    size: int


@dataclass
class Run:
    """Packets in the order of their clocks, and the clock until which the link runs."""

    build: Build
    ends: tuple[EndSettings, EndSettings]
    delay: tuple[int, int]
    """Clocks from A to B, and from B to A."""
    packets: list[Packet]
    until: int
    losses: Losses = Losses()
    erasures: dict[str, dict] = field(default_factory=dict)
    """Erasure processes in place of `losses`, by the end that sends, of arqlink.link.erasures."""
    clocks_per_beat: tuple[int, int] = (1, 1)
    """Of the lines of A and B."""
    delays: Path | None = None
    """A table of delays of both ways, in place of `delay`."""

    def job(self, model, library=None):
        """The run as `link_run` reads it."""
        erasures = [self.erasures.get(end) for end in "AB"]
        link = description.link(model, library, self.build, self.ends, self.delay, erasures, self.delays, self.clocks_per_beat)
        return {"link": link, "losses": self.losses, "packets": self.packets, "until": self.until}


@dataclass
class Carried:
    """What a run did. Packets are numbered in the order of the run; lists are by end."""

    accepted: dict
    """Clock of a packet's last beat in, by the end that accepted it."""
    delivered: dict
    """Clock of its last beat out, by the end that delivered it, in the order of delivery."""
    transmitted: dict
    """Clock of a transmission's first beat, by (end, FSN, attempt)."""
    settled: dict
    """Clock in which the end that sent a frame knew that it arrived, or gave it up, by FSN."""
    counters: dict


def carry(run, model, library=None):
    """Runs it over `model`; the rtl model needs the `library` of an end."""
    found = job.run(builds.program(), run.job(model, library))
    by_end = ({end: dict(events) for end, events in zip("AB", found[kind])} for kind in ("accepted", "delivered", "settled"))
    transmitted = {}
    for end, fsn, attempt, clock in found["transmitted"]:
        transmitted.setdefault(("AB"[end], fsn, attempt), clock)
    accepted, delivered, settled = by_end
    return Carried(accepted, delivered, transmitted, settled, dict(zip("AB", found["counters"])))
