# SPDX-License-Identifier: Apache-2.0
"""What a dashboard is told of a live link: once what it is, then what it does, in each interval."""

import math
from collections import deque
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from arqlink.live import samples
from arqlink.live.steering import LEAST_DELAY_MS, SETTINGS, Steering
from arqlink.model.analytic import Code, LinkModel
from arqlink.model.link_setup import INFINITE_DELTA
from arqlink.rtl import registers
from arqlink.tree import version

MEASURED = 10.0
"""Seconds that measured probabilities look back."""
ATTEMPTS = 16
"""Counters rx_attempt_0 to 15."""
EVENTS = 100
"""The last ones, which a new page gets."""
LOSSES = {"ab": "loss", "ba": "feedback_loss"}


class View:
    """Of a Session. `look` and `steer` may be called from two threads."""

    def __init__(self, session):
        self._session = session
        self._reader = session.reports.reader()
        self._steering = Steering(session.setup, session.engine, session.reports.reader())
        self._window, self._events = deque(), deque(maxlen=EVENTS)
        self._conditions = None
        self._last = self._reader.read()

    def hello(self):
        """What does not change, and the events until now: [time, end, name]."""
        setup, contract = self._session.setup, registers.contract()
        return {
            "version": version(),
            "name": self._session.name,
            "config": setup.config,
            "rate_mbps": setup.rate_mbps,
            "limits": setup.limits,
            "delay_ms": [LEAST_DELAY_MS, self._steering.most_delay_ms],
            "log": list(self._events),
            "events": {name: field.doc for name, field in contract.ARQLINK["ERROR"].fields.items()},
            "counters": {name: counter.doc for name, counter in contract.COUNTERS.items()},
        }

    def look(self) -> dict[str, Any]:
        """What the link has done since the last look."""
        before, after = self._last, self._reader.read()
        self._last, wanted = after, self._steering.setup
        self._look_back(after, wanted)
        sample = samples.between(before, after, self._session.setup.limits["window_frames"])
        directions = {name: self._direction(name, sample.directions[name], before, after, wanted) for name in samples.DIRECTIONS}
        ends = {end: _end(after[end]) for end in "ab"}
        self._events.extend([after["time"], end, event] for end in "ab" for event in ends[end]["events"])
        losses = {name: str(getattr(wanted, name)) for name in LOSSES.values()}
        return asdict(sample) | losses | {"delay_ms": wanted.delay_ms, "directions": directions, "ends": ends}

    def steer(self, text):
        """Does what a message says, or raises UserError."""
        return self._steering.take(text)

    def _look_back(self, report, wanted):
        """Measured probabilities begin anew with other settings: those of before are another link's."""
        conditions = ([report[end][name] for end in "ab" for name in SETTINGS], wanted.loss, wanted.feedback_loss)
        if conditions != self._conditions:
            self._window.clear()
            self._conditions = conditions
        self._window.append(report)
        while len(self._window) > 2 and report["time"] - self._window[1]["time"] >= MEASURED:
            self._window.popleft()

    def _direction(self, name, way, before, after, wanted):
        sender, receiver = samples.DIRECTIONS[name]
        first = self._window[0]
        sent, got = samples.counted(first, after, sender), samples.counted(first, after, receiver)
        packet_bytes = round(sent["tx_bytes"] / sent["tx_packets"]) if sent["tx_packets"] else wanted.packet_bytes
        return asdict(way) | {
            "fates": fates(samples.counted(before, after, receiver)),
            "measured": measured(sent, got, wanted.unit_bytes) | {"seconds": after["time"] - first["time"]},
            "model": model(code_of(after[sender]), getattr(wanted, LOSSES[name]), packet_bytes, wanted.unit_bytes),
        }


def fates(got):
    """Frames that a receiver was done with, by how. The counters do not say which of the frames that a retransmission completed were decoded:
    among those that the first transmission completed, their share is taken to be that among all."""
    complete = got["rx_frames_clean"] + got["rx_frames_repaired"]
    first, *again = (got[f"rx_attempt_{i}"] for i in range(ATTEMPTS))
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
    return Code(end["k"], end["n"], end["nr"], math.inf if end["delta"] == INFINITE_DELTA else end["delta"])


@lru_cache(256)
def model(code, channel, packet_bytes, unit_bytes):
    """The same shares by the analytic model, for packets that are all as long."""
    link = LinkModel(code, channel, packet_bytes, unit_bytes)
    return {"p_t": link.p_t, "p_f": link.p_f, "alpha": link.alpha, "packet_bytes": packet_bytes}


def _end(end):
    """Events by their names."""
    fields = registers.contract().ARQLINK["ERROR"].fields
    return end | {"events": [name for name, field in fields.items() if end["events"] >> field.shift & 1]}
