# SPDX-License-Identifier: Apache-2.0
"""Reports of a link for several readers. A report clears register ERROR, and the latest deadline: each reader still gets all of them once. Counters go
on where a firmware has set them to 0."""

import threading


class Reports:
    """Of an Engine; its readers may be in several threads."""

    def __init__(self, engine):
        self.engine = engine
        self._lock, self._readers = threading.Lock(), []
        self._totals = {end: _Totals() for end in "ab"}

    def reader(self):
        """What it reads begins now."""
        reader = Reader(self)
        with self._lock:
            self._readers.append(reader)
        return reader

    def take(self, reader):
        with self._lock:
            report = self.engine.report()
            report |= {end: report[end] | {"counters": totals.of(report[end]["counters"])} for end, totals in self._totals.items()}
            for one in self._readers:
                one.keep(report)
            return reader.give(report)


class _Totals:
    """Counters of an end since the beginning. What was counted between the last report and the firmware's `stats reset` is not in them."""

    def __init__(self):
        self._last, self._before = {}, {}

    def of(self, counters):
        if any(counters[name] < value for name, value in self._last.items()):
            self._before = {name: value + self._before.get(name, 0) for name, value in self._last.items()}
        self._last = counters
        return {name: value + self._before.get(name, 0) for name, value in counters.items()}


class Reader:
    def __init__(self, reports):
        self._reports = reports
        self._forget()

    def read(self):
        """A report (sim/live/README.md), whose `latest` and `events` are those since the last one of this reader."""
        return self._reports.take(self)

    def keep(self, report):
        self._latest = max(self._latest, report["latest"])
        for end in self._events:
            self._events[end] |= report[end]["events"]

    def give(self, report):
        ends = {end: report[end] | {"events": events} for end, events in self._events.items()}
        report = report | ends | {"latest": self._latest}
        self._forget()
        return report

    def _forget(self):
        self._latest, self._events = 0.0, {"a": 0, "b": 0}
