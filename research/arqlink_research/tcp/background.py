# SPDX-License-Identifier: Apache-2.0
"""Traffic that crosses the link beside the connections that are measured (research/tcp/background.h)."""

from dataclasses import dataclass

from arqlink.errors import UserError

SYNTAX = "KIND=VALUE[,…]"
RATES = {"files": ("ftp", "ftp-back"), "datagrams": ("udp", "udp-back")}
"""Kinds with a rate in Mb/s, by their names for the simulator."""
OF_RATES = tuple(kind for kinds in RATES.values() for kind in kinds)
COUNTED = {"web": "users of the web", "voice": "calls"}
"""Kinds of which there is a number."""
MOST, LEAST_MBPS, MOST_MBPS = 1000, 0.001, 1000.0


@dataclass(frozen=True)
class Background:
    """Numbers by kind of COUNTED, Mb/s by kind of OF_RATES."""

    numbers: dict
    rates: dict

    @classmethod
    def parse(cls, text):
        """Reads such as web=20,voice=2,ftp=0.5,udp-back=0.1."""
        numbers, rates = {}, {}
        for word in text.split(","):
            kind, _, value = word.partition("=")
            if kind not in COUNTED and kind not in OF_RATES:
                raise UserError(f"'{kind}' is no background traffic; there are {', '.join((*COUNTED, *OF_RATES))}: write {SYNTAX}.")
            found, read = (numbers, int) if kind in COUNTED else (rates, float)
            if kind in found:
                raise UserError(f"The background has '{kind}' twice.")
            try:
                found[kind] = read(value)
            except ValueError:
                what = f"{kind} has a number of {COUNTED[kind]}" if kind in COUNTED else f"{kind} has Mb/s"
                raise UserError(f"'{word}' is no background traffic; {what}: write {SYNTAX}.") from None
        for kind, number in numbers.items():
            if not 0 <= number <= MOST:
                raise UserError(f"There are {number} {COUNTED[kind]}; they must be 0 to {MOST}.")
        for kind, rate in rates.items():
            if rate != 0 and not LEAST_MBPS <= rate <= MOST_MBPS:
                raise UserError(f"The rate of {kind} is {rate:g} Mb/s; it must be 0, or {LEAST_MBPS:g} to {MOST_MBPS:g}.")
        return cls(numbers, rates)

    def __str__(self):
        return ",".join(f"{kind}={value!r}" for kind, value in (self.numbers | self.rates).items())

    def job(self):
        """What `tcp_run` reads; rates are pairs of those from the sender and back."""
        rates = {name: [self.rates.get(kind, 0) * 1e6 for kind in kinds] for name, kinds in RATES.items()}
        return {"web_users": self.numbers.get("web", 0), "calls": self.numbers.get("voice", 0)} | rates
