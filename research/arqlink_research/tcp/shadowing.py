# SPDX-License-Identifier: Apache-2.0
"""Shadowing of the sender by the houses of a street (arqlink_research.paths.street), as the simulator reads it."""

from dataclasses import dataclass

from arqlink.errors import UserError
from arqlink_research.paths import dark_intervals
from arqlink_research.paths.street import Street
from arqlink_research.tcp import channel_files

SYNTAX = "ELEVATION[,AZIMUTH[,SPEED]]"
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

    def files(self, seed, clock_hz, delay):
        """Of the units from the sender, and of those to it: the terminal is where units leave, or arrive `delay` seconds after they have left."""
        return {ahead: channel_files.path("street", repr(self), DURATION, seed, repr(clock_hz), repr(ahead)) for ahead in (0.0, delay)}

    def processes(self, seed, clock_hz, delay, losses):
        """The erasure processes from the sender and to it. `losses`: probabilities that units are erased in sight of the satellite."""
        files = self.files(seed, clock_hz, delay)
        return [dark_intervals.process(files[ahead], p) for ahead, p in zip((0.0, delay), losses)]

    def write(self, seed, clock_hz, delay):
        """Writes the files."""
        for ahead, path in self.files(seed, clock_hz, delay).items():
            channel_files.make(path, lambda file, ahead=ahead: self.street(seed).write(file, clock_hz, ahead=ahead))
