# SPDX-License-Identifier: Apache-2.0
"""Shadowing of the sender by the houses of a street (arqlink.channel.street), as the simulator reads it."""

import hashlib
from dataclasses import dataclass

from arqlink import tree
from arqlink.channel import dark_intervals
from arqlink.channel.street import Street
from arqlink.errors import UserError

SYNTAX = "ELEVATION[,AZIMUTH[,SPEED]]"
FOLDER = tree.BUILD / "channels"
DURATION = 3600.0
"""Seconds of a street, which begins again at its end."""


@dataclass(frozen=True)
class Shadowing:
    """The satellite's elevation and azimuth in degrees, the terminal's speed in m/s."""

    elevation: float
    azimuth: float = Street.azimuth
    speed: float = Street.speed

    def __post_init__(self):
        self.street(1)

    @classmethod
    def parse(cls, text):
        try:
            return cls(*map(float, text.split(",")))
        except (ValueError, TypeError):
            raise UserError(f"The shadowing is '{text}'; write {SYNTAX}, in degrees and m/s.") from None

    def __str__(self):
        return f"{self.elevation:g},{self.azimuth:g},{self.speed:g}"

    def street(self, seed):
        """Each seed has houses of its own."""
        return Street(elevation=self.elevation, azimuth=self.azimuth, speed=self.speed, duration=DURATION, seed=seed)

    def processes(self, seed, clock_hz, delay, losses):
        """The erasure processes from the sender and to it: the terminal is where units leave, or arrive `delay` seconds after they have left.
        `losses`: probabilities that others are erased."""
        found = []
        for ahead, p in zip((0.0, delay), losses):
            name = hashlib.sha256(f"{self} {seed} {clock_hz!r} {ahead!r}".encode()).hexdigest()[:16]
            path = FOLDER / f"street-{name}.txt"
            with tree.locked("channels"):
                if not path.exists():
                    FOLDER.mkdir(parents=True, exist_ok=True)
                    self.street(seed).write(path, clock_hz, ahead=ahead)
            found.append(dark_intervals.process(path, p))
        return found
