# SPDX-License-Identifier: Apache-2.0
"""Resequencer: complete frames are noted in tables, the walk finds packets, and their frames are read and freed."""

from docs.tools.figures.structure import ARQ, TABLE, Structure

SIZE = (10.5, 3.9)
COLUMN = 4.4


def draw(axes):
    delivery = Structure(axes, width=3.1)
    for name, at, colour in (
        ("FrameStates\n(of each slot)", (0, 3), TABLE),
        ("flagRam\n(sop, eop)", (0, 1.5), TABLE),
        ("frameRam\n(K, units, pad)", (0, 0), TABLE),
        ("completed", (1, 3.9), TABLE),
        ("PacketWalk", (1, 2.25), ARQ),
        ("parcels", (2, 2.25), TABLE),
        ("delivery", (2, 0), ARQ),
        ("receipts", (3, 2.25), TABLE),
        ("freeing", (3, 3.9), ARQ),
    ):
        delivery.block(name, (at[0] * COLUMN, at[1]), colour)
    side, thin = delivery.side, delivery.thin
    left = -1.55 - 0.7
    delivery.axes.text(left - 0.75, 1.5, "complete", ha="right", va="center", fontsize=8.5, family="monospace")
    delivery.line([(left - 0.7, 1.5), side("flagRam\n(sop, eop)", "left")])
    for name in ("FrameStates\n(of each slot)", "frameRam\n(K, units, pad)"):
        delivery.line([(left, 1.5), (left, side(name, "left")[1]), side(name, "left")])
    thin([(left, 3), (left, 3.9), side("completed", "left")], "ord = 0", (-1.2, 3.9))
    for name, along in (("FrameStates\n(of each slot)", 0.2), ("flagRam\n(sop, eop)", -0.2)):
        x, y = side(name, "right")
        thin([(x, y), (x + 0.6, y), (x + 0.6, 2.25 + along), side("PacketWalk", "left", along)])
    thin([side("completed", "bottom"), side("PacketWalk", "top")], "candidates", (COLUMN, 3.1))
    thin([(COLUMN - 0.6, 0.95), side("PacketWalk", "bottom", -0.6)])
    axes.text(COLUMN - 0.6, 0.75, "abandoned,\nresolved", ha="center", va="top", fontsize=7)
    delivery.across("PacketWalk", "parcels", "deliver,\nor drop", 0.4)
    delivery.line([side("parcels", "bottom"), side("delivery", "top")])
    delivery.across("frameRam\n(K, units, pad)", "delivery")
    delivery.port("delivery", "job: frames to read and decode", incoming=False, length=0.9)
    x, y = side("delivery", "top", 0.8)
    delivery.line([(x, y), (x, 1.1), (3 * COLUMN, 1.1), side("receipts", "bottom")])
    axes.text(3 * COLUMN + 0.15, 1.4, "one for each frame read", ha="left", va="center", fontsize=7)
    delivery.port("receipts", "frameRead", incoming=True, to_left=False, bold=False)
    delivery.line([side("receipts", "top"), side("freeing", "bottom")])
    delivery.port("freeing", "rxBase", incoming=False, bold=False)
    thin([side("freeing", "top"), (3 * COLUMN, 4.75), (0, 4.75), side("FrameStates\n(of each slot)", "top")], "the slot is free", (1.6 * COLUMN, 4.75))
    axes.set_xlim(-5.2, 19.2)
    axes.set_ylim(-0.7, 5.1)
