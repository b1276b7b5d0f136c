# SPDX-License-Identifier: Apache-2.0
"""The way of an outcome: decided and kept at the receiver in the lower row, reported, and taken once by the sender in the upper row."""

from docs.tools.figures.structure import ARQ, CONTROL, TABLE, Structure

SIZE = (10.5, 4.6)
COLUMN = 4.2


def draw(axes):
    way = Structure(axes, width=3.0)
    for name, at, colour in (
        ("FeedbackCheck", (4, 4), ARQ),
        ("KnownOutcomes\n(two windows)", (3, 5.3), TABLE),
        ("new = reported\nand not known", (3, 4), ARQ),
        ("sent table\nof each TSN", (2, 4), TABLE),
        ("state table", (1, 5.3), TABLE),
        ("RetransmitQueue", (1, 4), TABLE),
        ("WindowSweep", (0, 5.3), ARQ),
        ("FrameIssue", (0, 4), ARQ),
        ("UnitClassifier", (0, 0.9), ARQ),
        ("Transmission\nInProgress", (1, 0.9), ARQ),
        ("OutcomeLog:\nrecent blocks", (2, 0.9), ARQ),
        ("block RAM:\none window", (2, -0.5), TABLE),
        ("OlderReports", (3, -0.5), ARQ),
        ("ControlComposer", (3, 0.9), CONTROL),
    ):
        way.block(name, (at[0] * COLUMN, at[1]), colour)
    side, thin = way.side, way.thin
    way.port("UnitClassifier", "data units,\nedges to close", incoming=True)
    way.across("UnitClassifier", "Transmission\nInProgress")
    way.across("Transmission\nInProgress", "OutcomeLog:\nrecent blocks", "TSN,\nreceived", 0.35)
    way.line([side("OutcomeLog:\nrecent blocks", "bottom"), side("block RAM:\none window", "top")])
    way.across("OutcomeLog:\nrecent blocks", "ControlComposer")
    way.across("block RAM:\none window", "OlderReports")
    way.line([side("OlderReports", "top"), side("ControlComposer", "bottom")])
    end = 4 * COLUMN + 0.6
    way.line([side("ControlComposer", "right"), (end, 0.9), (end, 3.55)], "control unit:\nrxNext, base, bitmap", (end, 2.2))
    way.across("FeedbackCheck", "new = reported\nand not known", "two\nblocks", 0.35)
    for along, points in ((-0.5, 1), (0.5, -1)):
        ends = [side("KnownOutcomes\n(two windows)", "bottom", along), side("new = reported\nand not known", "top", along)]
        thin(ends[::points])
    way.across("new = reported\nand not known", "sent table\nof each TSN", "one a\nclock", 0.35)
    way.across("sent table\nof each TSN", "RetransmitQueue", "failed", 0.22)
    x, y = side("sent table\nof each TSN", "top")
    way.line([(x, y), (x, 5.3), side("state table", "right")], "received,\nor given up", (x, 4.9))
    way.across("RetransmitQueue", "FrameIssue")
    way.across("state table", "WindowSweep")
    way.port("WindowSweep", "txBase", incoming=False, to_left=True, bold=False)
    way.port("FrameIssue", "frame", incoming=False, to_left=True)
    x, y = side("KnownOutcomes\n(two windows)", "right")
    thin([(x, y), (x + 1.1, y)])
    axes.text(x + 1.2, y, "ackTsn", ha="left", va="center", fontsize=8.5, family="monospace")
    axes.axhline(2.95, 0.02, 0.78, color="#999999", linewidth=0.8, linestyle="dashed")
    axes.text(-3.9, 3.05, "sender", va="bottom", fontsize=8, color="#555555")
    axes.text(-3.9, 2.85, "receiver", va="top", fontsize=8, color="#555555")
    axes.set_xlim(-4.0, 19.6)
    axes.set_ylim(-1.1, 5.9)
