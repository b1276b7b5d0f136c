# SPDX-License-Identifier: Apache-2.0
"""Times in which a link is dark, as lists of (begin, end) in seconds, and as the file that the erasure process `intervals` of the simulators
reads (sim/link/README.md, "Tables of clocks")."""

import math

from arqlink.errors import UserError
from arqlink.link import clock_table, erasures


def merged(intervals):
    """The same times in order, as intervals that neither touch nor overlap."""
    result: list[tuple[float, float]] = []
    for begin, end in sorted(intervals):
        if result and begin <= result[-1][1]:
            result[-1] = (result[-1][0], max(result[-1][1], end))
        elif end > begin:
            result.append((begin, end))
    return result


def within(intervals, begin, end):
    """What of them lies between `begin` and `end`."""
    return [(max(first, begin), min(last, end)) for first, last in intervals if first < end and last > begin]


def complement(intervals, duration):
    """The rest of the time from 0 to `duration`; `intervals` are merged and lie in it."""
    ends = [0.0, *(time for interval in intervals for time in interval), duration]
    return [(begin, end) for begin, end in zip(ends[::2], ends[1::2]) if end > begin]


def total(intervals):
    """Seconds of all of them together."""
    return math.fsum(end - begin for begin, end in intervals)


def in_clocks(intervals, clock_hz, ahead=0.0):
    """The same as (first dark clock, first clock after it), in order, without those that no clock falls into. `ahead`: seconds by which they begin
    and end earlier, for units that reach the place of the shadow so long after they leave."""
    moved = ((math.ceil(max(0.0, (time - ahead) * clock_hz)) for time in interval) for interval in intervals)
    return merged((begin, end) for begin, end in moved if end > begin)


def write(path, intervals, clock_hz, cycle=None, ahead=0.0):
    """Writes the file that the process `intervals` reads. `cycle`: seconds after which it begins again; None: dark no more after its last interval.
    With a cycle, what `ahead` moves to before its beginning goes to its end."""
    clock_table.check_rate(clock_hz)
    if not 0 <= ahead < math.inf:
        raise UserError(f"Dark intervals are moved ahead by {ahead:g} s; it must be 0 or more.")
    clocks = 0
    if cycle is not None:
        clocks = round(cycle * clock_hz)
        if not (clocks > 0 and all(0 <= begin < end <= cycle for begin, end in intervals)):
            raise UserError(f"The cycle is {cycle:g} s; it must have a clock or more, and all dark intervals must lie in it.")
        ahead %= cycle
        intervals = [*intervals, *((begin + cycle, end + cycle) for begin, end in intervals)]
    dark = in_clocks(intervals, clock_hz, ahead)
    if clocks:
        dark = within(dark, 0, clocks)
    clock_table.write(path, f"Dark intervals in clocks of {clock_hz:g} Hz: first dark clock, first clock after it.", dark, clocks)


def process(path, p=0.0):
    """The erasure process of such a file, as the simulators read it; others are erased with probability `p`."""
    return erasures.intervals(path, p)
