# SPDX-License-Identifier: Apache-2.0
"""Whether a run of the link ends in reasonable time, by the analytic model: what does not is refused before it begins, and a long one foretold."""

import sys

from arqlink.errors import UserError

MOST_TRANSMISSIONS = 1000
"""Of a frame, on average. Such a link delivers less than a thousandth of what it carries, so nobody uses it, and its simulation takes a
thousand times as long as that of a good one: a run of a minute takes most of a day. It is the limit for control units, too: the
simulation waits in vain for a link that needs more of them to come up."""

CLOCKS_PER_S = 300_000
"""That a simulation of both ends runs in a second, about: machines and configurations differ by two to one either way."""
TOLD_S = 600
"""A run that takes longer is foretold."""
MOST_S = 100 * 86400
"""A run that takes longer is refused."""

SPANS = (("years", 365 * 86400), ("days", 86400), ("hours", 3600), ("minutes", 60))


def duration(seconds):
    """A time in the largest unit that it has at least two of."""
    for name, span in SPANS:
        if seconds >= 2 * span:
            return f"{seconds / span:.3g} {name}"
    return f"{seconds:.3g} seconds"


def foretell(seconds, what):
    """Says on standard error where `what` takes long to simulate; refuses what nobody can wait for."""
    if seconds > MOST_S:
        raise UserError(f"Hopeless: {what} would take about {duration(seconds)} to simulate; up to {duration(MOST_S)} are tried.")
    if seconds > TOLD_S:
        print(f"Simulating {what} takes about {duration(seconds)}.", file=sys.stderr, flush=True)


def seconds(setup, model, frames, span=0.0):
    """Of real time, about, that it takes to simulate `frames` frames, the last of which is offered after `span` seconds of the link."""
    busy = frames * model.units_per_frame * model.unit_time
    round_trip = setup.round_trip_clocks / setup.clock_hz
    # Where the window is small the line waits for outcomes.
    waiting = frames * model.mean_transmissions / setup.limits["window_frames"] * round_trip
    return (max(busy, waiting, span) + 2 * round_trip) * setup.clock_hz / CLOCKS_PER_S


def check(setup, model, frames):
    """Refuses to send `frames` frames of what `model`, the analytic model of this setup, has where the link does not come up, or where a frame
    takes more than MOST_TRANSMISSIONS."""
    for process, spared in ((setup.loss, setup.spare_control), (setup.feedback_loss, False)):
        if not spared and MOST_TRANSMISSIONS * (1 - process.mean()) < 1:
            erased = "all" if process.mean() == 1 else f"{process.mean():.6g} of the"
            raise UserError(f"Hopeless: {process} erases {erased} units, control units too, so the link would not come up.")
    mean, setting = model.mean_transmissions, f"{setup.loss}, K = {setup.k}, N = {setup.n}, {setup.nr} in retransmissions, and δ infinite"
    if mean * model.units_per_frame == float("inf"):
        raise UserError(f"Hopeless: with {setting}, no transmission succeeds and no frame is given up, so the run would never end.")
    if mean > MOST_TRANSMISSIONS:
        busy = duration(frames * model.units_per_frame * model.unit_time)
        raise UserError(
            f"Hopeless: with {setting}, a frame needs {mean:.4g} transmissions on average, and {frames} frames keep the line busy for {busy}; "
            f"up to {MOST_TRANSMISSIONS} are simulated."
        )
