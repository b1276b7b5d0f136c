# SPDX-License-Identifier: Apache-2.0
"""Header of a data unit, and a control unit: 32 bits a row, byte 0 at the upper left, the highest bit of a byte on its left."""

from matplotlib.patches import Rectangle

SIZE = (9, 7.2)

DATA = [
    ("version", 2), ("type", 2), ("several", 1), ("odd", 1), ("link", 2), ("epoch", 8), ("fresh", 1), ("K - 1", 7), ("N", 8),
    ("index", 8), ("preset", 2), ("sop", 1), ("eop", 1), ("pad", 12), ("FSN", 20), ("TSN", 20),
]  # fmt: skip
CONTROL = [
    ("version", 2), ("type = 1", 2), ("0", 2), ("link", 2), ("epoch", 8), ("0", 2), ("abandons", 1), ("deaf", 1), ("reply", 1), ("poll", 1), ("peerKnown", 1),
    ("hello", 1), ("peerEpoch", 8), ("0 *", 4), ("ackTsn *", 20), ("txBase", 20), ("txEdge", 20), ("rxBase", 20), ("rxNext", 20),
    ("bitmapBase", 20), ("0", 4), ("bitmap", 64), ("CRC", 32),
]  # fmt: skip
ROW = 32


def rows_of(fields):
    """(row, first column, width, name, is the first part) of each part of a field in a row."""
    at = 0
    for name, bits in fields:
        left = bits
        while left:
            row, column = divmod(at, ROW)
            width = min(left, ROW - column)
            yield row, column, width, name, left == bits
            at, left = at + width, left - width


def table(axes, top, title, fields):
    axes.text(0, top + 0.75, title, fontsize=11, fontweight="bold")
    for bit in range(ROW):
        axes.text(bit + 0.5, top + 0.15, 7 - bit % 8, ha="center", fontsize=6, color="#555555")
    rows = 0
    for row, column, width, name, first in rows_of(fields):
        y = top - row - 1
        axes.add_patch(Rectangle((column, y), width, 1, facecolor="white", edgecolor="black", linewidth=0.8))
        fits = len(name) * 0.42 < width
        if first or fits and width > 4:
            size = 8 if fits else 6 if len(name) < 8 else 4.6
            axes.text(column + width / 2, y + 0.5, name, ha="center", va="center", fontsize=size, rotation=0 if fits else 90)
        if column == 0:
            axes.text(-0.3, y + 0.5, f"byte {4 * row}", ha="right", va="center", fontsize=7, color="#555555")
        rows = max(rows, row + 1)
    return top - rows


def draw(axes):
    bottom = table(axes, 0, "Data unit: 12 bytes, then the payload of unitBytes and 4 bytes of CRC-32", DATA)
    bottom = table(axes, bottom - 1.8, "Control unit: 32 bytes", CONTROL)
    axes.text(0, bottom - 0.6, "* in a hello: log2 of the window, packetCrc and unitBytes", fontsize=8, color="#555555")
    axes.set_xlim(-3, ROW + 0.2)
    axes.set_ylim(bottom - 0.8, 1.4)
