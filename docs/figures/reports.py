# SPDX-License-Identifier: Apache-2.0
"""Which blocks of outcomes the receiver reports: the recent ones at all times, and the older ones of a window in turn, round a ring."""

from math import cos, pi, sin

from matplotlib.patches import Circle, Rectangle

SIZE = (9, 4.4)
PLACES, NEWEST = 8, 20
"""Places of the ring, of a window of 512 frames; and the newest pair in it."""
RECENT, LACKS, KNOWN = "#c6e0b4", "#fde9c8", "#e4e4e4"
ACK, TURN = 16, 18
"""Pair of the peer's ackTsn; the pair whose turn it is."""
PAIRS = range(NEWEST - PLACES + 1, NEWEST + 1)
LEFT, WIDTH = 0.0, 1.05
CENTRE, RADIUS = (4.2, -2.6), 1.45


def colour(pair):
    return LACKS if pair >= ACK else KNOWN


def pointer(axes, text, tip, tail, **where):
    axes.annotate(text, xy=tip, xytext=tail, fontsize=8, arrowprops=dict(arrowstyle="->", linewidth=0.9), **where)


def blocks(axes):
    """Pairs of blocks in a row, as TSNs go, and the recent ones behind them."""
    for i, pair in enumerate(PAIRS):
        axes.add_patch(Rectangle((LEFT + i * WIDTH, 0), WIDTH, 0.6, facecolor=colour(pair), edgecolor="black", linewidth=0.9))
        axes.text(LEFT + (i + 0.5) * WIDTH, 0.3, f"{2 * pair}, {2 * pair + 1}", ha="center", va="center", fontsize=8.5)
    end = LEFT + PLACES * WIDTH
    for i in range(2):
        axes.add_patch(Rectangle((end + i * WIDTH / 2, 0), WIDTH / 2, 0.6, facecolor=RECENT, edgecolor="black", linewidth=0.9))
        axes.text(end + (i + 0.5) * WIDTH / 2, 0.3, 2 * NEWEST + 2 + i, ha="center", va="center", fontsize=8.5)
    axes.text(LEFT - 0.15, 0.3, "blocks of\n32 outcomes", ha="right", va="center", fontsize=8)
    axes.text(end + WIDTH / 2, 0.7, "recent: in each\ncontrol unit", ha="center", va="bottom", fontsize=8)
    axes.text(LEFT + 1.5 * WIDTH, 0.7, "the peer knows these: passed over", ha="center", va="bottom", fontsize=8)
    pointer(axes, "ackTsn", (LEFT + (ACK - PAIRS[0] + 0.3) * WIDTH, 0.6), (LEFT + (ACK - PAIRS[0] + 0.3) * WIDTH, 1.25), ha="center", va="center")
    pointer(axes, "rxNext", (end + 0.85 * WIDTH, 0), (end + 0.85 * WIDTH, -0.7), ha="center", va="center")


def ring(axes):
    """The same pairs, each in its place."""
    for pair in PAIRS:
        angle = pi / 2 - 2 * pi * (pair % PLACES) / PLACES
        x, y = CENTRE[0] + RADIUS * cos(angle), CENTRE[1] + RADIUS * sin(angle)
        axes.add_patch(Circle((x, y), 0.44, facecolor=colour(pair), edgecolor="black", linewidth=2.4 if pair == TURN else 0.9))
        axes.text(x, y, f"{2 * pair}, {2 * pair + 1}", ha="center", va="center", fontsize=8.5)
        if pair == TURN:
            pointer(axes, "its turn: reported", (x + 0.46, y), (x + 1.0, y), ha="left", va="center")
        if pair == ACK:
            pointer(axes, "a round begins here", (x - 0.46, y + 0.06), (x - 1.1, y + 0.06), ha="right", va="center")
    steps = [pi / 2 - 2 * pi * (TURN % PLACES + i / 20) / PLACES for i in range(5, 36)]
    inner = [(CENTRE[0] + 0.72 * cos(a), CENTRE[1] + 0.72 * sin(a)) for a in steps]
    axes.plot(*zip(*inner), color="black", linewidth=0.9)
    pointer(axes, "", inner[-1], inner[-3])
    axes.text(*CENTRE, "ring", ha="center", va="center", fontsize=9)
    words = "The next place has its turn\neach time rxNext has moved by 8.\n\nAfter a reply all places have\ntheirs, one after the other: a round."
    axes.text(CENTRE[0] + RADIUS + 1.6, CENTRE[1] - 1.0, words, ha="left", va="center", fontsize=8)


def draw(axes):
    blocks(axes)
    ring(axes)
    axes.set_xlim(LEFT - 1.2, LEFT + (PLACES + 1) * WIDTH + 0.3)
    axes.set_ylim(CENTRE[1] - RADIUS - 0.6, 1.5)
    axes.set_aspect("equal")
