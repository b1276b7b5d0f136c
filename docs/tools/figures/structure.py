# SPDX-License-Identifier: Apache-2.0
"""Drawings of a structure: blocks, and arrows between them."""

from matplotlib.patches import FancyBboxPatch

DATA, ARQ, CONTROL, REGISTERS, TABLE = "#dbe8f7", "#fde9c8", "#e3f1dc", "#ececec", "white"
"""Colours of blocks by what they handle; tables and queues are white."""


class Structure:
    """Blocks of one size, by name, with their centres in units of the axes. A name is what is written in the block."""

    def __init__(self, axes, width=2.5, height=0.9):
        self.axes, self.width, self.height, self.centres = axes, width, height, {}

    def block(self, name, at, colour):
        self.centres[name] = x, y = at
        self.axes.add_patch(
            FancyBboxPatch(
                (x - self.width / 2, y - self.height / 2),
                self.width,
                self.height,
                boxstyle="round,pad=0,rounding_size=0.1",
                facecolor=colour,
                edgecolor="black",
                linewidth=0.9,
                zorder=4,
            )
        )
        self.axes.text(x, y, name, ha="center", va="center", fontsize=7.5 if max(map(len, name.split("\n"))) > 13 else 8.5, zorder=5)

    def side(self, name, where, along=0.0):
        """The middle of a side of a block, or `along` it from there."""
        x, y = self.centres[name]
        dx, dy = {"left": (-1, 0), "right": (1, 0), "top": (0, 1), "bottom": (0, -1)}[where]
        return x + dx * self.width / 2 + along * abs(dy), y + dy * self.height / 2 + along * abs(dx)

    def line(self, points, text="", at=(0, 0), bold=True, align="center"):
        """An arrow along `points`; `text` is at `at`. Bold: units and packets; thin: what steers them."""
        style = dict(color="black" if bold else "#555555", linewidth=1.5 if bold else 0.9)
        for start, end in zip(points[:-2], points[1:-1], strict=True):
            self.axes.plot(*zip(start, end, strict=True), solid_capstyle="round", **style)
        self.axes.annotate("", xy=points[-1], xytext=points[-2], arrowprops=dict(arrowstyle="->", shrinkA=0, shrinkB=0, **style))
        if text:
            box = dict(facecolor="white", edgecolor="none", pad=0.6)
            self.axes.text(*at, text, ha=align, va="center", fontsize=7, color=style["color"], bbox=box)

    def thin(self, points, text="", at=(0, 0), align="center"):
        self.line(points, text, at, bold=False, align=align)

    def across(self, start, end, text="", above=0.2, bold=True):
        """An arrow from a block to one in the same row."""
        (x0, y), (x1, _) = self.centres[start], self.centres[end]
        to_right = x1 > x0
        self.line(
            [self.side(start, "right" if to_right else "left"), self.side(end, "left" if to_right else "right")],
            text,
            ((x0 + x1) / 2, y + above),
            bold,
        )

    def port(self, name, text, incoming, to_left=None, bold=True, length=1.1):
        """A port of the whole beside a block, at its left if it comes in."""
        left = incoming if to_left is None else to_left
        x, y = self.side(name, "left" if left else "right")
        outer = (x - length if left else x + length, y)
        self.line([outer, (x, y)] if incoming else [(x, y), outer], bold=bold)
        style = dict(ha="right" if left else "left", va="center", fontsize=8.5, family="monospace")
        self.axes.text(outer[0] + (-0.1 if left else 0.1), y, text, bbox=dict(facecolor="white", edgecolor="none", pad=0.6), **style)
