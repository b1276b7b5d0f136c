# SPDX-License-Identifier: Apache-2.0
"""What the two ways of a link have done between two reports on its ends."""

from dataclasses import dataclass

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


def counted(before, after, end):
    """What the counters of an end have counted between two reports."""
    return {counter: value - before[end]["counters"][counter] for counter, value in after[end]["counters"].items()}


def seconds(before, after):
    """Of the link, between two reports; above 0."""
    return max(1e-9, after["time"] - before["time"])


def directions(before, after, window_frames):
    """A Direction for each way. An end's report may have `erased`: units from this end that the channel took away; otherwise the receiver was told of each."""
    return {name: _direction(before, after, *ends, window_frames) for name, ends in DIRECTIONS.items()}


def _direction(before, after, sender, receiver, window_frames):
    sent, got, total = counted(before, after, sender), counted(before, after, receiver), after[sender]["counters"]
    units = sent["tx_units"] + sent["tx_retx_units"] + sent["tx_control_units"]
    erased = after[sender]["erased"] - before[sender]["erased"] if "erased" in after[sender] else got["rx_erased_flag"]
    open_frames = total["tx_frames"] - total["tx_frames_acked"] - total["tx_frames_abandoned"] - total["tx_frames_flushed"]
    return Direction(
        8e-6 * got["rx_bytes"] / seconds(before, after),
        min(1.0, erased / units) if units else None,
        sent["tx_frames"],
        got["rx_frames_repaired"],
        sent["tx_retx"],
        sent["tx_frames_abandoned"],
        sent["tx_packets_lost"],
        max(0, open_frames) / window_frames,  # a firmware's `stats reset` may come between a frame and its answer
        after[sender]["backlog"],
    )
