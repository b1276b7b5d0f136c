# SPDX-License-Identifier: Apache-2.0
"""What a live link has done between two of its reports."""

from dataclasses import asdict, dataclass

DIRECTIONS = {"ab": ("a", "b"), "ba": ("b", "a")}


@dataclass(frozen=True)
class Direction:
    """mbps           bytes of packets that the receiver delivered
    loss           share of the units that were erased on the way; None: none was sent
    frames         sent for the first time
    repaired       frames complete by their code
    retransmitted  transmissions
    abandoned      frames
    lost           packets with an abandoned frame
    window         share of the sender's window that is open, now
    backlog        packets that wait for the line, now
    """

    mbps: float
    loss: float | None
    frames: int
    repaired: int
    retransmitted: int
    abandoned: int
    lost: int
    window: float
    backlog: int


@dataclass(frozen=True)
class Sample:
    """time       seconds of the link
    seconds    since the sample before
    late       seconds by which the latest deadline since then was late
    deadlines  since the sample before; missed of them
    skipped    seconds of real time that the link has not lived through since then
    rests      nothing moves, and nothing is clocked
    directions by DIRECTIONS
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


def counted(before, after, end):
    """What the counters of an end have counted between two reports."""
    return {counter: value - before[end]["counters"][counter] for counter, value in after[end]["counters"].items()}


def between(before, after, window_frames):
    """The sample of two reports of the same link."""
    seconds = max(1e-9, after["time"] - before["time"])
    directions = {}
    for name, (sender, receiver) in DIRECTIONS.items():
        sent, got, total = counted(before, after, sender), counted(before, after, receiver), after[sender]["counters"]
        units = sent["tx_units"] + sent["tx_retx_units"] + sent["tx_control_units"]
        open_frames = total["tx_frames"] - total["tx_frames_acked"] - total["tx_frames_abandoned"] - total["tx_frames_flushed"]
        directions[name] = Direction(
            8e-6 * got["rx_bytes"] / seconds,
            min(1.0, got["rx_erased_flag"] / units) if units else None,
            sent["tx_frames"],
            got["rx_frames_repaired"],
            sent["tx_retx"],
            sent["tx_frames_abandoned"],
            sent["tx_packets_lost"],
            open_frames / window_frames,
            after[sender]["backlog"],
        )
    return Sample(
        after["time"],
        seconds,
        after["latest"],
        after["deadlines"] - before["deadlines"],
        after["missed"] - before["missed"],
        after["lost"] - before["lost"],
        after["rests"],
        directions,
    )
