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
        """One line for people."""
        ways = "   ".join(f"{name[0]}>{name[1]} {_way(way)}" for name, way in self.directions.items())
        pace = f"late {1e3 * self.late:.1f} ms, missed {self.missed} of {self.deadlines}" if not self.rests else "at rest"
        return f"{self.time:7.1f} s  {ways}   {pace}{f', skipped {self.skipped:.2f} s' if self.skipped else ''}"


def _way(way):
    loss = "-" if way.loss is None else f"{100 * way.loss:.2f} %"
    return f"{way.mbps:6.3f} Mb/s, lost {loss}, repaired {way.repaired}, again {way.retransmitted}, abandoned {way.abandoned}, window {100 * way.window:.0f} %"


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
