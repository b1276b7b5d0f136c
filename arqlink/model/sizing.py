# SPDX-License-Identifier: Apache-2.0
"""Window and timers of a link, from its line and its path: docs/integration.md, sections 1 and 3."""

import math
from dataclasses import dataclass

from arqlink.errors import UserError
from arqlink.model import limits

BLOCKS_CLOCKS = 500
"""For the blocks of both ends within a round trip."""
RARE = 1e-6
"""Share of frames that may need more round trips than an endless persistency's window is sized for."""
LEAST_WINDOW, MOST_WINDOW = 32, 1 << 18
"""Frames; the limits of windowFrames."""


def timers(round_trip, delay, frame):
    """Timer registers, in clocks, from a round trip, the delay of one way and the time of a frame, in clocks too. A poll waits for a round trip
    and a few frames; the longer timers are multiples of it, so that an outage is not declared because of lost units."""
    poll = round(1.25 * round_trip) + 8 * frame
    values = {
        "POLL_TIMEOUT": poll,
        "HELLO_INTERVAL": max(1000, delay // 4),
        "KEEPALIVE": 4 * poll,
        "OUTAGE_TIMEOUT": 256 * poll,
        "STATUS_INTERVAL": 0,
    }
    return {name: min(value, 0xFFFFFFFF) for name, value in values.items()}


@dataclass(frozen=True)
class Sizing:
    """`frame_time`: of a frame of the packets, on average; `rounds`: round trips that a frame may take, for which the window has room; times in
    seconds; `store_bytes`: of the frame stores of both directions, at one end; `timers` in clocks of the core; `utilization`: of the line for unit payload,
    by datagrams of these packets, through this window; `limit`: what holds it down."""

    frame_time: float
    round_trip: float
    rounds: int
    window_frames: int
    store_bytes: int
    timers: dict
    utilization: float
    limit: limits.Limit


def size(setup, delay, clock_hz):
    """Sizes a link end for the code, rate, losses and packets of `setup` (LinkSetup, whose own delay does not count), a delay one way in seconds, and a
    core with `clock_hz`. A packet ends its last frame, so frames of short packets are short, and more of them are on their way."""
    bits_per_clock = 8 * setup.limits["data_bytes"]
    if setup.line_rate > bits_per_clock * clock_hz:
        raise UserError(
            f"The line has {setup.line_rate / 1e6:.6g} Mb/s with headers; at {clock_hz / 1e6:g} MHz configuration '{setup.config}' "
            f"carries {bits_per_clock * clock_hz / 1e6:.6g}."
        )
    model = setup.model()
    longest = max(setup.n, setup.nr) * model.unit_time
    frame_time = longest - (setup.k - model.data_units) * model.unit_time
    round_trip = 2 * delay + longest + BLOCKS_CLOCKS / clock_hz
    rounds = rounds_within(setup.delta, model.p_t)
    frames = max(LEAST_WINDOW, math.ceil(rounds * round_trip / frame_time))
    window_frames = 1 << (frames - 1).bit_length()
    if window_frames > MOST_WINDOW:
        raise UserError(
            f"{frames} frames are on their way in {rounds} round trips; the longest window has {MOST_WINDOW}. Longer units, a larger K, or fewer "
            f"retransmissions make it fewer."
        )
    slot = 1 << (setup.limits["max_k"] * setup.unit_bytes - 1).bit_length()
    clocks = [round(seconds * clock_hz) for seconds in (round_trip, delay, longest)]
    model.delay = delay + BLOCKS_CLOCKS / clock_hz / 2
    utilization = model.through_window(window_frames)
    limit = limits.lowest(model.alpha, utilization)
    return Sizing(frame_time, round_trip, rounds, window_frames, 2 * window_frames * slot, timers(*clocks), utilization, limit)


def rounds_within(delta, p_t):
    """Round trips of a frame that is sent δ + 1 times, or, where δ is infinite, of all frames but a millionth."""
    if math.isfinite(delta):
        return int(delta) + 1
    if p_t == 1:
        raise UserError("No transmission succeeds, so no window is long enough where δ is infinite.")
    return max(1, math.ceil(math.log(RARE) / math.log(p_t))) if p_t > 0 else 1
