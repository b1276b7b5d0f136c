# SPDX-License-Identifier: Apache-2.0
"""A path over satellites in low orbits (arqlink_research.paths.leo_path), as the simulator reads it: its delay changes, and it may be dark at hand-overs."""

from dataclasses import dataclass

from arqlink.errors import UserError
from arqlink_research.paths import dark_intervals
from arqlink_research.paths.leo_path import LeoPath
from arqlink_research.paths.orbit import LOS_ANGELES, NEW_YORK, ROME, SAN_FRANCISCO, Constellation
from arqlink_research.tcp import channel_files

SYNTAX = "STATION,STATION[,GAP_MS]"
STATIONS = {"new-york": NEW_YORK, "san-francisco": SAN_FRANCISCO, "los-angeles": LOS_ANGELES, "rome": ROME}
DURATION = 1200.0
"""Seconds of a table, which begins again at its end."""
GOLDEN = 0.6180339887498949
"""Multiples of it are spread over 0 to 1."""


@dataclass(frozen=True)
class LowOrbit:
    """Names of STATIONS, and for how many ms nothing passes after one of them has changed its satellite. The constellation is Teledesic."""

    sender: str
    receiver: str
    gap_ms: float = 0.0

    def __post_init__(self):
        for name in (self.sender, self.receiver):
            if name not in STATIONS:
                raise UserError(f"'{name}' is not a station; there are {', '.join(STATIONS)}.")
        if not 0 <= self.gap_ms <= 1e5:
            raise UserError(f"The gap of a hand-over is {self.gap_ms:g} ms; it must be 0 to 1e5.")

    @classmethod
    def parse(cls, text):
        """Reads SYNTAX."""
        try:
            sender, receiver, *gap = text.split(",")
            return cls(sender, receiver, *map(float, gap))
        except (ValueError, TypeError):
            raise UserError(f"The orbit is '{text}'; write {SYNTAX}.") from None

    def __str__(self):
        return f"{self.sender},{self.receiver},{self.gap_ms:g}"

    def path(self, seed):
        """With each seed the satellites begin elsewhere."""
        constellation = Constellation(epoch=seed * GOLDEN % 1 * Constellation().period)
        return LeoPath(STATIONS[self.sender], STATIONS[self.receiver], constellation, duration=DURATION, gap=1e-3 * self.gap_ms)

    def files(self, seed, clock_hz):
        """Of the delays, and of the outages."""
        return [channel_files.path(kind, repr(self), DURATION, seed, repr(clock_hz)) for kind in ("delays", "handovers")]

    def processes(self, seed, clock_hz, losses):
        """The erasure processes both ways. `losses`: probabilities that units are erased while the path is not dark."""
        _, outages = self.files(seed, clock_hz)
        return [dark_intervals.process(outages, p) for p in losses]

    def write(self, seed, clock_hz):
        """Writes the files."""
        delays, outages = self.files(seed, clock_hz)
        path = self.path(seed)
        channel_files.make(delays, lambda file: path.table.write(file, clock_hz))
        channel_files.make(outages, lambda file: path.table.write_outages(file, clock_hz))
