# SPDX-License-Identifier: Apache-2.0
"""Bit errors at some of several terminals behind the link (research/tcp/terminal_errors.h)."""

from dataclasses import dataclass

from arqlink.errors import UserError

SYNTAX = "COUNT,RATE"
MOST_RATE = 1e-3


@dataclass(frozen=True)
class Terminals:
    """The first `noisy` connections end at terminals where a share `rate` of the bits is wrong, independently, both ways."""

    noisy: int
    rate: float

    def __post_init__(self):
        if self.noisy < 1:
            raise UserError(f"{self.noisy} terminals have bit errors; it must be one or more.")
        if not 0 < self.rate <= MOST_RATE:
            raise UserError(f"The rate of bit errors at terminals is {self.rate:g}; it must be above 0, and {MOST_RATE:g} at most.")

    @classmethod
    def parse(cls, text):
        """Reads such as 2,1e-7."""
        try:
            noisy, rate = text.split(",")
            return cls(int(noisy), float(rate))
        except ValueError:
            raise UserError(f"The noisy terminals are '{text}'; write {SYNTAX}, how many of the connections, and the share of wrong bits.") from None

    def __str__(self):
        return f"{self.noisy},{self.rate!r}"

    def job(self):
        """What `tcp_run` reads."""
        return {"noisy": self.noisy, "rate": self.rate}
