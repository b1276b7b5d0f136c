# SPDX-License-Identifier: Apache-2.0
"""What a dashboard shows of a run of the simulator, while it runs."""

import math
import threading
import time
from dataclasses import asdict, dataclass

from arqlink.dashboard import samples
from arqlink.dashboard.view import Source
from arqlink.errors import UserError
from arqlink.rtl import registers

STATES = ("down", "clearing", "hello", "up", "outage")
"""Of an end, by field STATUS.state."""
OF_END, OF_CHANNEL = ("STATUS", "ERROR"), ("ERASED", "CONTROL_ERASED")
"""Registers of a report that are shown, beside the counters."""
DELAYS_MS = (1.0, 1000.0)
"""Of a slider."""
LOCKED = "This run measures one setting, so nothing can be changed while it runs."


@dataclass(frozen=True)
class Progress:
    """Frames that are done of all that will be, and the rate of the simulation: clocks in a second of real time, and seconds of the link."""

    done: int
    total: int
    clocks_per_s: float
    pace: float


@dataclass(frozen=True)
class Sample:
    """time       seconds of the link
    seconds    since the sample before
    progress   of the run
    directions by their names, of arqlink.dashboard.samples.Direction
    """

    time: float
    seconds: float
    progress: Progress
    directions: dict


class RunSource(Source):
    """Of a run, as long as it is entered. Of the reports between two looks the newest one counts."""

    look_back = math.inf
    locked = LOCKED
    ports = {"a": "User A", "b": "User B"}

    def __init__(self, setup, title, name):
        self._setup, self.title, self.name = setup, title, name
        self.delays_ms = [min(DELAYS_MS[0], setup.delay_ms), max(DELAYS_MS[1], setup.delay_ms)]
        self._changed = threading.Condition()
        self._total, self._why_ended = 0, None
        self._told = {"a": 0, "b": 0}
        nothing = {f"{end}.{name}": 0 for end in "ab" for name in (*OF_END, *registers.counter_names())}
        nothing |= {f"{way}.{name}": 0 for way in samples.DIRECTIONS for name in OF_CHANNEL}
        self._news = self._report({"clock": 0, "waiting": 0, "registers": nothing})

    @property
    def setup(self):
        return self._setup

    def __enter__(self):
        return self

    def __exit__(self, _, error, __):
        with self._changed:
            self._why_ended = f"The run has ended before its time. {_sentence(error)}" if error else "The run has ended."
            self._changed.notify_all()

    def begin(self, frames):
        """The run will have so many frames. What takes its reports."""
        self._total = frames
        return self.take

    def take(self, report):
        """A report of the simulator: sim/pair/README.md."""
        with self._changed:
            self._news = self._report(report)
            self._changed.notify_all()

    def read(self):
        """Waits for news."""
        with self._changed:
            self._changed.wait_for(lambda: self._news or self._why_ended)
            if not self._news:
                raise UserError(self._why_ended)
            news, self._news = self._news, None
            ends = {end: news[end] | {"events": news[end]["events"] & ~told} for end, told in self._told.items()}
            self._told = {end: news[end]["events"] for end in self._told}
            return news | ends

    def sample(self, before, after):
        span = max(1e-3, after["real"] - before["real"])
        acked, given_up, flushed = (after["a"]["counters"][f"tx_frames_{fate}"] for fate in ("acked", "abandoned", "flushed"))
        seconds = samples.seconds(before, after)
        progress = Progress(min(acked + given_up + flushed, self._total), self._total, (after["clock"] - before["clock"]) / span, seconds / span)
        return asdict(Sample(after["time"], seconds, progress, samples.directions(before, after, self.setup.limits["window_frames"])))

    def steer(self, text):
        raise UserError(LOCKED)

    def _report(self, report):
        """With the keys of a live link's: a run has the settings of its set-up from the beginning to the end, and packets wait at A alone."""
        values = report["registers"]
        settings = {"k": self.setup.k, "n": self.setup.n, "nr": self.setup.nr, "delta": self.setup.arq_delta, "ord": bool(self.setup.ord)}
        waiting = {"a": report["waiting"], "b": 0}
        ends = {}
        for way, (end, _) in samples.DIRECTIONS.items():
            status = registers.fields_of(end, "STATUS", values[f"{end}.STATUS"])
            ends[end] = settings | {
                "state": STATES[status["state"]],
                "stalled": bool(status["stalled"]),
                "events": values[f"{end}.ERROR"],
                "backlog": waiting[end],
                "erased": sum(values[f"{way}.{name}"] for name in OF_CHANNEL),
                "counters": {name: values[f"{end}.{name}"] for name in registers.counter_names()},
            }
        return {"time": report["clock"] / self.setup.clock_hz, "clock": report["clock"], "real": time.monotonic(), **ends}


def _sentence(error):
    """Why it ended, for whom it is shown to."""
    return str(error) if isinstance(error, UserError) else "It was interrupted." if isinstance(error, KeyboardInterrupt) else "There was an error."
