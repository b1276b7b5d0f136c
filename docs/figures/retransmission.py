# SPDX-License-Identifier: Apache-2.0
"""A loss, its NACK and the retransmission, as a ladder: time runs down."""

SIZE = (8, 6)
LEFT, RIGHT, DELAY = 0, 10, 2.2


def arrow(axes, start, text, back=False, lost=False):
    a, b = (RIGHT, LEFT) if back else (LEFT, RIGHT)
    end = (b, start + DELAY)
    if lost:
        end = (a + 0.6 * (b - a), start + 0.6 * DELAY)
        axes.text(*end, "✕", ha="center", va="center", color="#c00000", fontsize=13)
    colour = "#1f5fa8" if back else "black"
    axes.annotate("", xy=end, xytext=(a, start), arrowprops=dict(arrowstyle="->", color=colour, linewidth=1.1))
    box = dict(facecolor="white", edgecolor="none", pad=0.8)
    axes.text(a + 0.32 * (b - a), start + 0.32 * DELAY, text, ha="center", va="center", fontsize=7.5, color=colour, bbox=box)


def note(axes, y, text, right=False):
    axes.text(RIGHT + 0.25 if right else LEFT - 0.25, y, text, ha="left" if right else "right", va="center", fontsize=8)


def draw(axes):
    for x, name in ((LEFT, "sender"), (RIGHT, "receiver")):
        axes.plot([x, x], [0, 11.6], color="black", linewidth=1.4)
        axes.text(x, -0.3, name, ha="center", va="bottom", fontsize=10, fontweight="bold")
    arrow(axes, 0.3, "frame 7, TSN 20")
    arrow(axes, 1.3, "frame 8, TSN 21", lost=True)
    arrow(axes, 2.3, "frame 9, TSN 22")
    note(axes, 2.5, "complete: deliver 7", right=True)
    note(axes, 4.4, "TSN 22 ahead of rxNext = 21:\n21 has failed; hold 9", right=True)
    arrow(axes, 4.7, "control unit: rxNext 22, outcomes 20 ✓ 21 ✕", back=True)
    arrow(axes, 5.0, "frame 10, TSN 23")
    note(axes, 7.0, "NACK of TSN 21: frame 8 to the\nretransmit queue, ahead of frame 11")
    arrow(axes, 7.2, "frame 8 again, attempt 1, TSN 24")
    arrow(axes, 8.2, "frame 11, TSN 25")
    note(axes, 9.5, "complete: deliver 8, 9, 10", right=True)
    note(axes, 10.4, "deliver 11", right=True)
    axes.set_xlim(-6.2, 16.2)
    axes.set_ylim(11.8, -1)
