# SPDX-License-Identifier: Apache-2.0
"""One frame's way: a packet is cut and coded at the left, loses two units on the line, and is restored at the right; below it the report."""

from matplotlib.patches import Rectangle

SIZE = (10.5, 4.6)
DATA, PARITY, LOST, REPORT = "#dbe8f7", "#fde9c8", "white", "#e3f1dc"
UNIT, GAP = 0.62, 0.1


def units(axes, x, y, names, lost=()):
    """Units in a row; those of `lost` are only outlines."""
    for i, name in enumerate(names):
        left, gone = x + i * (UNIT + GAP), i in lost
        if gone:
            box = Rectangle((left, y), UNIT, 0.7, facecolor=LOST, edgecolor="#999999", linestyle=":")
        else:
            box = Rectangle((left, y), UNIT, 0.7, facecolor=DATA if name[0] == "d" else PARITY, edgecolor="black")
        axes.add_patch(box)
        axes.text(left + UNIT / 2, y + 0.35, "✕" if gone else name, ha="center", va="center", fontsize=8, color="#c00000" if gone else "black")


def arrow(axes, start, end, colour="black"):
    axes.annotate("", xy=end, xytext=start, arrowprops=dict(arrowstyle="->", color=colour, shrinkA=0, shrinkB=0, linewidth=1.2))


def step(axes, x, y, number, text):
    disc = dict(boxstyle="circle,pad=0.22", facecolor="#1f5fa8", edgecolor="none")
    axes.text(x, y, str(number), ha="center", va="center", fontsize=8, color="white", bbox=disc)
    axes.text(x + 0.32, y, text, ha="left", va="center", fontsize=8)


def draw(axes):
    axes.add_patch(Rectangle((0, 4.5), 4 * UNIT + 3 * GAP, 0.7, facecolor=DATA, edgecolor="black"))
    axes.text(2 * UNIT + 1.5 * GAP, 4.85, "packet", ha="center", va="center", fontsize=8.5)
    step(axes, 0.2, 3.95, 1, "cut into a frame of K = 4 units, stored")
    units(axes, 0, 2.7, ["d0", "d1", "d2", "d3"])
    step(axes, 0.2, 2.15, 2, "N - K = 2 parity units added")
    units(axes, 0, 0.9, ["d0", "d1", "d2", "d3", "p4", "p5"])
    for y in (4.4, 2.6):
        arrow(axes, (3.9, y), (3.9, y - 0.85))
    arrow(axes, (4.5, 1.25), (6.6, 1.25))
    step(axes, 4.62, 1.65, 3, "the line loses 2 units")
    units(axes, 7.2, 0.9, ["d0", "d1", "d2", "d3", "p4", "p5"], lost=(1, 4))
    step(axes, 7.4, 2.15, 4, "any K units restore the frame")
    units(axes, 7.2, 2.7, ["d0", "d1", "d2", "d3"])
    step(axes, 7.4, 3.95, 5, "frames in order make the packet")
    axes.add_patch(Rectangle((7.2, 4.5), 4 * UNIT + 3 * GAP, 0.7, facecolor=DATA, edgecolor="black"))
    axes.text(7.2 + 2 * UNIT + 1.5 * GAP, 4.85, "packet", ha="center", va="center", fontsize=8.5)
    for y in (1.75, 3.55):
        arrow(axes, (11.1, y), (11.1, y + 0.85))
    axes.add_patch(Rectangle((7.2, -0.75), 1.9, 0.7, facecolor=REPORT, edgecolor="black"))
    axes.text(8.15, -0.4, "control unit", ha="center", va="center", fontsize=8)
    arrow(axes, (7.1, -0.4), (4.5, -0.4), "#1f5fa8")
    step(axes, 4.75, 0.0, 6, "the report: received")
    axes.text(4.35, -0.4, "received: the slot is free\nfailed: sent again, up to δ times", ha="right", va="center", fontsize=8)
    axes.text(2.1, 5.75, "sender", ha="center", va="center", fontsize=10, fontweight="bold")
    axes.text(9.3, 5.75, "receiver", ha="center", va="center", fontsize=10, fontweight="bold")
    axes.set_xlim(-0.3, 11.9)
    axes.set_ylim(-1.0, 6.1)
