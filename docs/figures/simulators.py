# SPDX-License-Identifier: Apache-2.0
"""The folders of sim/, and what each of them stands on: the Verilated hardware is at the bottom."""

from matplotlib.patches import FancyBboxPatch

SIZE = (9, 4.2)
WIDTH, HEIGHT = 2.3, 0.9
VERILATED, PROGRAM, RESEARCH = "#ececec", "#dbe8f7", "#e3f1dc"

# Name -> column, row (row 0 is the lowest), colour, second line.
BOXES = {
    "RsEncoder": (0, 0, VERILATED, "or RsDecoder, Verilated"),
    "ArqPair": (1, 0, VERILATED, "Verilated"),
    "ArqLink": (2, 0, VERILATED, "Verilated"),
    "codec": (0, 1, PROGRAM, "arqlink codec"),
    "pair": (1, 1, PROGRAM, "arqlink send, stats"),
    "end": (2, 1, PROGRAM, "a shared library"),
    "campaign": (1.45, 2, PROGRAM, "make campaign"),
    "link": (2.55, 2, PROGRAM, "event | rtl"),
    "gateway": (3.65, 2, PROGRAM, "make fuzz"),
    "live": (2.55, 3, PROGRAM, "arqlink live"),
    "research/tcp": (3.65, 3, RESEARCH, "arqlink tcp"),
}
STANDS_ON = {
    "codec": ["RsEncoder"],
    "pair": ["ArqPair"],
    "end": ["ArqLink"],
    "campaign": ["end"],
    "link": ["end"],
    "live": ["link", "gateway"],
    "research/tcp": ["link", "gateway"],
}
COLUMN, ROW = 2.75, 1.5


def centre(name):
    column, row, *_ = BOXES[name]
    return column * COLUMN, row * ROW


def draw(axes):
    for name, (_, _, colour, below) in BOXES.items():
        x, y = centre(name)
        corner = (x - WIDTH / 2, y - HEIGHT / 2)
        axes.add_patch(FancyBboxPatch(corner, WIDTH, HEIGHT, boxstyle="round,pad=0,rounding_size=0.1", facecolor=colour, edgecolor="black", linewidth=0.9))
        axes.text(x, y + 0.15, name, ha="center", va="center", fontsize=8.5, fontweight="bold")
        axes.text(x, y - 0.2, below, ha="center", va="center", fontsize=7)
    for name, bases in STANDS_ON.items():
        for base in bases:
            (x0, y0), (x1, y1) = centre(name), centre(base)
            shift = 0.22 * (x1 - x0) / COLUMN
            start, end = (x0 + shift, y0 - HEIGHT / 2), (x1 - shift, y1 + HEIGHT / 2)
            axes.annotate("", xy=end, xytext=start, arrowprops=dict(arrowstyle="->", shrinkA=0, shrinkB=0, linewidth=1))
    axes.set_xlim(-1.6, 11.6)
    axes.set_ylim(-0.7, 5.2)
