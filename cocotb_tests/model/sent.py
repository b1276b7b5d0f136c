# SPDX-License-Identifier: Apache-2.0
"""What the trace checker of a sender remembers of a frame."""

from dataclasses import dataclass, field

from . import code


@dataclass
class SentFrame:
    """A frame that was sent at least once."""

    units: list
    pad: int
    sop: bool
    eop: bool
    attempt: int = 0
    last_try: set = field(default_factory=set)  # whether its newest transmission is one: both where that is not known
    frozen: bool = False  # the outcome of that may have been forgiven
    state: str = "sent"  # sent, queued, acked, abandoned; undecided: queued or abandoned, as delta changed about then
    codewords: dict = field(default_factory=dict)

    def unit(self, preset, n, index):
        """Unit `index` of the codeword with `n` units."""
        if (preset, n) not in self.codewords:
            self.codewords[preset, n] = code.encode(self.units, n, preset)
        return self.codewords[preset, n][index]


@dataclass
class Failed:
    """A frame that waits for its retransmission. `sure`: a control unit that was dealt with has reported it; `ordered`: the first that
    did was, so it is known when it joined the queue."""

    fsn: int
    sure: bool
    ordered: bool
    begun: int = 0  # new frames since it is sure
