# SPDX-License-Identifier: Apache-2.0
"""What a live link has done between two of its reports."""

from dataclasses import asdict, dataclass

from arqlink.dashboard import samples as link


@dataclass(frozen=True)
class Sample:
    """time       seconds of the link
    seconds    since the sample before
    late       seconds by which the latest deadline since then was late
    deadlines  since the sample before; missed of them
    skipped    seconds of real time that the link has not lived through since then
    rests      nothing moves, and nothing is clocked
    directions by their names, of arqlink.dashboard.samples.Direction
    """

    time: float
    seconds: float
    late: float
    deadlines: int
    missed: int
    skipped: float
    rests: bool
    directions: dict

    def describe(self):
        """As JSON has it."""
        return asdict(self)

    def line(self):
        """One line for people, below HEADER."""
        ways = "".join(_way(way) for way in self.directions.values())
        pace = "at rest" if self.rests else f"{1e3 * self.late:7.1f}{self.missed:7d}"
        return f"{self.time:6.1f}{ways}{pace:>14}{f'  skipped {self.skipped:.2f} s' if self.skipped else ''}"


HEADER = f"{'time':>6}{'a>b':>7}{'':30}{'b>a':>7}{'':30}{'late':>7}\n{'s':>6}" + 2 * "   Mb/s  lost% repair again aband win%" + "     ms missed"
"""Of lines: repaired, retransmitted and abandoned are frames; the window is that of the sender; the last two are Sample's `late` and `missed`."""


def _way(way):
    loss = "-" if way.loss is None else f"{100 * way.loss:.2f}"
    return f"{way.mbps:7.3f}{loss:>7}{way.repaired:7d}{way.retransmitted:6d}{way.abandoned:6d}{100 * way.window:5.0f}"


def between(before, after, window_frames):
    """The sample of two reports of the same link."""
    return Sample(
        after["time"],
        link.seconds(before, after),
        after["latest"],
        after["deadlines"] - before["deadlines"],
        after["missed"] - before["missed"],
        after["lost"] - before["lost"],
        after["rests"],
        link.directions(before, after, window_frames),
    )
