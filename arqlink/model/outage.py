# SPDX-License-Identifier: Apache-2.0
"""An on-off link."""

from dataclasses import dataclass

from arqlink.errors import UserError


@dataclass(frozen=True)
class Outage:
    """The link is dark, both ways, for `dark_ms` of each `cycle_ms` (T_o and T_c of an on-off link)."""

    dark_ms: float
    cycle_ms: float

    def __post_init__(self):
        if not (0 < self.dark_ms < self.cycle_ms <= 1e9):
            raise UserError(f"The outage is {self.dark_ms:g} of each {self.cycle_ms:g} ms; it must be above 0, and shorter than its cycle, of at most 1e9 ms.")

    @classmethod
    def parse(cls, text):
        """Reads DARK_MS,CYCLE_MS."""
        try:
            dark, cycle = map(float, text.split(","))
        except ValueError:
            raise UserError(f"The outage is '{text}'; write DARK_MS,CYCLE_MS.") from None
        return cls(dark, cycle)

    def __str__(self):
        return f"{self.dark_ms:g},{self.cycle_ms:g}"
