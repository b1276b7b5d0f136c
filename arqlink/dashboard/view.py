# SPDX-License-Identifier: Apache-2.0
"""What a dashboard is told of a link: once what it is, then what it does, in each interval."""

import math
import time
from abc import ABC, abstractmethod
from collections import deque
from functools import lru_cache
from typing import Any

from arqlink.dashboard import samples
from arqlink.model import link_setup
from arqlink.model.analytic import Code, LinkModel
from arqlink.rtl import registers
from arqlink.tree import version

ATTEMPTS = 16
"""Counters tx_acked_0 to 15."""
EVENTS = 100
"""The last ones, which a new page gets."""
LOSSES = {"ab": "loss", "ba": "feedback_loss"}
SETTINGS = ("k", "n", "nr", "delta", "ord")


class Source(ABC):
    """A link to show. Each method may be called in a thread of its own.

    title      of the page
    name       of this link
    setup      the LinkSetup, as it is wanted now
    look_back  seconds of the link that measured probabilities look back; math.inf: to the beginning
    locked     why nothing can be changed, a sentence; None: it can
    ports      what packets come from and go to at ends `a` and `b`, in two words
    delays_ms  the least and the most that a slider of the delay shows
    """

    title: str
    name: str
    look_back: float
    locked: str | None
    ports: dict[str, str]
    delays_ms: list[float]

    @property
    @abstractmethod
    def setup(self) -> link_setup.LinkSetup: ...

    @abstractmethod
    def read(self) -> dict[str, Any]:
        """A report: `time`, and of ends `a` and `b` the settings, `state`, `stalled`, `backlog`, `counters`, and `events` since the last one, as in
        sim/live/README.md; `erased` as in dashboard/samples.py. The first one comes at once. UserError: why there will be none any more."""

    @abstractmethod
    def sample(self, before, after) -> dict[str, Any]:
        """What the link has done between two reports: `time`, `seconds`, `directions` (samples.directions, as dictionaries), and what is the source's own."""

    @abstractmethod
    def steer(self, text) -> str:
        """Does what a message says; the name of that. UserError: why it does not."""


class View:
    """Of a Source. `look` and `steer` may be called from two threads."""

    def __init__(self, source: Source):
        self._source = source
        self._window, self._events = deque(), deque(maxlen=EVENTS)
        self._conditions = None
        self._last = source.read()
        self._begun = time.monotonic()
        self._looked = 0.0
        self._look_back(self._last, source.setup)

    def hello(self):
        """What does not change, and the events until now: [time, end, name]."""
        source, contract = self._source, registers.contract()
        setup = source.setup
        return {
            "version": version(),
            "title": source.title,
            "name": source.name,
            "config": setup.config,
            "rate_mbps": setup.rate_mbps,
            "limits": setup.limits,
            "delay_ms": source.delays_ms,
            "locked": source.locked,
            "look_back": source.look_back if source.look_back < math.inf else None,
            "ports": source.ports,
            "log": list(self._events),
            "events": {name: field.doc for name, field in contract.ARQLINK["ERROR"].fields.items()},
            "counters": {name: counter.doc for name, counter in contract.COUNTERS.items()},
        }

    def look(self) -> dict[str, Any]:
        """What the link has done since the last look."""
        before, after = self._last, self._source.read()
        self._last, wanted = after, self._source.setup
        self._look_back(after, wanted)
        sample = self._source.sample(before, after)
        directions = {name: self._direction(name, sample["directions"][name], before, after, wanted) for name in samples.DIRECTIONS}
        ends = {end: _end(after[end]) for end in "ab"}
        self._events.extend([after["time"], end, event] for end in "ab" for event in ends[end]["events"])
        losses = {name: str(getattr(wanted, name)) for name in LOSSES.values()}
        return sample | self._real_time() | losses | {"delay_ms": wanted.delay_ms, "directions": directions, "ends": ends}

    def steer(self, text):
        """Does what a message says, or raises UserError."""
        return self._source.steer(text)

    def _real_time(self):
        """Seconds of real time: since the beginning, and since the last look."""
        before, self._looked = self._looked, time.monotonic() - self._begun
        return {"at": self._looked, "span": self._looked - before}

    def _look_back(self, report, wanted):
        """Measured probabilities begin anew with other settings: those of before are another link's."""
        conditions = ([report[end][name] for end in "ab" for name in SETTINGS], wanted.loss, wanted.feedback_loss)
        if conditions != self._conditions:
            self._window.clear()
            self._conditions = conditions
        if not self._window or self._source.look_back < math.inf:
            self._window.append(report)
        while len(self._window) > 2 and report["time"] - self._window[1]["time"] >= self._source.look_back:
            self._window.popleft()

    def _direction(self, name, way, before, after, wanted):
        sender, receiver = samples.DIRECTIONS[name]
        first = self._window[0]
        sent, got = samples.counted(first, after, sender), samples.counted(first, after, receiver)
        packet_bytes = round(sent["tx_bytes"] / sent["tx_packets"]) if sent["tx_packets"] else wanted.packet_bytes
        return way | {
            "fates": fates(samples.counted(before, after, sender), samples.counted(before, after, receiver)),
            "measured": measured(sent, got, wanted.unit_bytes) | {"seconds": after["time"] - first["time"]},
            "model": model(code_of(after[sender]), getattr(wanted, LOSSES[name]), packet_bytes, wanted.unit_bytes),
        }


def fates(sent, got):
    """Frames that both ends are done with, by how. The counters do not say which of the frames that a retransmission completed were decoded:
    among those that the first transmission completed, their share is taken to be that among all."""
    complete = got["rx_frames_clean"] + got["rx_frames_repaired"]
    first, *again = (sent[f"tx_acked_{i}"] for i in range(ATTEMPTS))
    repaired = first * got["rx_frames_repaired"] / complete if complete else 0.0
    return {"clean": first - repaired, "repaired": repaired, "again": again, "abandoned": got["rx_frames_skipped"]}


def measured(sent, got, unit_bytes):
    """Shares among what was counted, None where nothing was: of transmissions that failed, of frames that were abandoned, of useful bytes."""
    transmissions = sent["tx_outcomes_ok"] + sent["tx_outcomes_failed"]
    frames = sent["tx_frames_acked"] + sent["tx_frames_abandoned"]
    paid = unit_bytes * (sent["tx_units"] + sent["tx_retx_units"])
    return {
        "p_t": sent["tx_outcomes_failed"] / transmissions if transmissions else None,
        "p_f": sent["tx_frames_abandoned"] / frames if frames else None,
        "alpha": got["rx_bytes"] / paid if paid else None,
        "transmissions": transmissions,
        "frames": frames,
    }


def code_of(end):
    """Settings of an end, as it reports them."""
    return Code(end["k"], end["n"], end["nr"], math.inf if end["delta"] == link_setup.INFINITE_DELTA else end["delta"])


@lru_cache(256)
def model(code, channel, packet_bytes, unit_bytes):
    """The same shares by the analytic model, for packets that are all as long."""
    link = LinkModel(code, channel, packet_bytes, unit_bytes)
    return {"p_t": link.p_t, "p_f": link.p_f, "alpha": link.alpha, "packet_bytes": packet_bytes}


def _end(end):
    """Events by their names."""
    fields = registers.contract().ARQLINK["ERROR"].fields
    return end | {"events": [name for name, field in fields.items() if end["events"] >> field.shift & 1]}
