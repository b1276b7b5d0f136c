# SPDX-License-Identifier: Apache-2.0
"""Which blocks of outcomes the receiver reports: the recent ones, a pair again after its lag, and all of them after a poll."""

from matplotlib.patches import Rectangle

SIZE = (9, 2.8)
FIRST, LAST = 2, 13
RECENT, REPEAT, OLDER = "#c6e0b4", "#fde9c8", "white"
ACK, PAIR = 4, 8


def bracket(axes, x0, x1, y, text, up=True):
    """A bracket over, or under, blocks x0 to x1, and what it means."""
    tip = y - 0.15 if up else y + 0.15
    axes.plot([x0 + 0.05, x0 + 0.05, x1 - 0.05, x1 - 0.05], [tip, y, y, tip], color="black", linewidth=1)
    axes.text((x0 + x1) / 2, y + 0.12 if up else y - 0.12, text, ha="center", va="bottom" if up else "top", fontsize=8)


def draw(axes):
    for block in range(FIRST, LAST + 1):
        colour = RECENT if block >= LAST - 1 else REPEAT if block in (PAIR, PAIR + 1) else OLDER
        axes.add_patch(Rectangle((block, 0), 1, 0.8, facecolor=colour, edgecolor="black", linewidth=0.9))
        axes.text(block + 0.5, 0.4, block, ha="center", va="center", fontsize=8.5)
    axes.text(FIRST - 0.2, 0.4, "block of\n32 outcomes", ha="right", va="center", fontsize=8)
    bracket(axes, LAST - 1, LAST + 1, 1.0, "recent: in each\ncontrol unit")
    bracket(axes, PAIR, PAIR + 2, 1.0, "repeat: once more,\nL blocks later")
    axes.annotate("", xy=(PAIR + 2, 0.95), xytext=(LAST - 1, 0.95), arrowprops=dict(arrowstyle="<->", linewidth=0.9))
    axes.text((PAIR + LAST + 1) / 2, 1.0, "L = 2", ha="center", va="bottom", fontsize=8)
    bracket(axes, ACK, LAST - 1, -0.25, "series: after a poll, all pairs from the block of the peer's ackTsn on", up=False)
    for x, start, end, name in ((ACK + 0.4, 1.5, 0.8, "ackTsn"), (LAST + 0.6, -0.8, 0, "rxNext")):
        axes.annotate(name, xy=(x, end), xytext=(x, start), ha="center", va="center", fontsize=8, arrowprops=dict(arrowstyle="->", linewidth=0.9))
    axes.set_xlim(FIRST - 2, LAST + 1.4)
    axes.set_ylim(-1, 2)
