# SPDX-License-Identifier: Apache-2.0
"""What a long link carries while its feedback gets lost, compared with the same link without such losses.

Two Verilated ends at δ infinite, K = N = 1, one or both of which always send (sim/campaign/flow.cpp): `arqlink campaign
feedback-loss`.
"""

from dataclasses import asdict, dataclass, replace

from arqlink import job
from arqlink.campaign import builds, runs
from arqlink.errors import UserError

WINDOWS = {64: 256, 533: 1024, 5000: 16384, 30000: 65536}
"""Frames a round trip -> windowFrames of the builds that carry it."""
TRIPS = {64: 1000, 533: 150, 5000: 30, 30000: 12}
"""Round trips that are measured, after the first six."""
LOSSES = (0.0, 0.001)
"""Share of the data units that get lost."""
FEEDBACK = ((0.0, 0), (0.01, 0), (0.05, 0), (0.1, 0), (0.1, 64))
"""Share of the feedback that gets lost, and control units that are lost together (0: each by itself)."""
SEEDS = (1, 2, 3)
VARIANTS = ((1200, False), (0, True), (1200, True))
"""STATUS_INTERVAL in clocks (1200: 16 outcomes come sooner, and make a report), and whether both ends send. Measured at VARIED frames a round trip
beside (0, False), with lossless feedback and with the worst of FEEDBACK."""
VARIED = 5000
WORST = max(share for share, _ in FEEDBACK)
HEADINGS = (
    "frames a round trip",
    "windowFrames",
    "ends that send",
    "STATUS_INTERVAL",
    "data lost",
    "feedback lost",
    "in bursts of",
    "clocks a frame",
    "of lossless",
    "worst seed",
    "sent again",
    "polls",
    "reports",
)


@dataclass(frozen=True)
class Point:
    """`status`: STATUS_INTERVAL in clocks; at 0 a report follows each outcome as soon as the line lets it. `both_ways`: the peer sends as much, and
    its data get lost with its control units.
    """

    round_trip: int
    loss: float = 0
    feedback_loss: float = 0
    burst: int = 0
    status: int = 0
    both_ways: bool = False
    seed: int = 1

    def lossless(self):
        """The same with feedback that is never lost."""
        return replace(self, feedback_loss=0, burst=0)


@dataclass(frozen=True)
class Flow:
    """What passed in `clocks`: new frames, frames sent again, the sender's polls, and the receiver's control units."""

    clocks: int
    frames: int
    again: int
    polls: int
    reports: int

    @property
    def rate(self):
        """New frames a clock."""
        return self.frames / self.clocks


def measure(point, trips=None):
    """The Flow of a point, after `trips` round trips; UserError where no build has a window for it."""
    if point.round_trip not in WINDOWS:
        raise UserError(f"{point.round_trip} frames a round trip are not among {', '.join(map(str, WINDOWS))}.")
    library = job.file_name(builds.library(f"line_w{WINDOWS[point.round_trip]}"))
    flow = asdict(point) | {"trips": trips or TRIPS[point.round_trip]}
    asked = {"libraries": [library, library], "pair": "line", "seed": flow.pop("seed"), "count": 1, "flow": flow}
    (run,) = runs.found(asked)
    if run["kind"]:
        raise UserError(f"The link failed: {run['kind']} {run['text']}")
    return Flow(**run["flow"])


def points(round_trips=tuple(WINDOWS), seeds=SEEDS, losses=LOSSES):
    """All points of the table."""
    for round_trip in round_trips:
        for loss in losses:
            for feedback_loss, burst in FEEDBACK:
                yield from (Point(round_trip, loss, feedback_loss, burst, seed=seed) for seed in seeds)
                if round_trip == VARIED and feedback_loss in (0, WORST):
                    yield from (Point(round_trip, loss, feedback_loss, burst, *variant, seed) for variant in VARIANTS for seed in seeds)


def survey(chosen):
    """Measures points; Point -> Flow."""
    return {point: measure(point) for point in chosen}


def rows(flows):
    """A row for all seeds of a point: the mean and the worst share of what lossless feedback gives, and the medians of all else."""
    groups = {}
    for point in flows:
        groups.setdefault((point.round_trip, point.both_ways, point.status, point.loss, point.feedback_loss, point.burst), []).append(point)
    for (round_trip, both_ways, status, loss, feedback_loss, burst), group in sorted(groups.items()):
        shares = [flows[p].rate / flows[p.lossless()].rate for p in group if p.lossless() in flows]
        flow = sorted((flows[p] for p in group), key=lambda f: f.rate)[len(group) // 2]
        mean, worst = (f"{sum(shares) / len(shares):.4f}", f"{min(shares):.4f}") if shares else ("-", "-")
        yield (
            round_trip, WINDOWS[round_trip], "both" if both_ways else "one", status, f"{loss:g}", f"{feedback_loss:g}", burst or "-",
            f"{1 / flow.rate:.2f}", mean, worst, flow.again, flow.polls, flow.reports,
        )  # fmt: skip
