# SPDX-License-Identifier: Apache-2.0
"""Reports of a link for several readers. A report clears register ERROR, and the latest deadline: each reader still gets all of them once."""

import threading


class Reports:
    """Of an Engine; its readers may be in several threads."""

    def __init__(self, engine):
        self.engine = engine
        self._lock, self._readers = threading.Lock(), []

    def reader(self):
        """What it reads begins now."""
        reader = Reader(self)
        with self._lock:
            self._readers.append(reader)
        return reader

    def take(self, reader):
        with self._lock:
            report = self.engine.report()
            for one in self._readers:
                one.keep(report)
            return reader.give(report)


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
