# SPDX-License-Identifier: Apache-2.0
"""The two sequence numbers: frames (FSN) have a window at each end; transmissions (TSN) count what is sent, retransmissions too."""

from matplotlib.patches import Rectangle

SIZE = (9, 4.6)
COLOURS = {"done": "#d9d9d9", "open": "#ffe699", "held": "#c6e0b4", "failed": "#f4b6b6", "free": "white"}


def cells(axes, y, title, first, kinds, names=None):
    axes.text(-0.4, y + 0.5, title, ha="right", va="center", fontsize=9)
    for i, kind in enumerate(kinds):
        axes.add_patch(Rectangle((i, y), 1, 1, facecolor=COLOURS[kind], edgecolor="black", linewidth=0.8))
        axes.text(i + 0.5, y + 0.5, names[i] if names else first + i, ha="center", va="center", fontsize=8)


def edge(axes, x, y, name, above=True):
    start = y + 1.75 if above else y - 0.75
    axes.annotate(name, xy=(x, y + 1 if above else y), xytext=(x, start), ha="center", va="center", fontsize=8, arrowprops=dict(arrowstyle="->", linewidth=0.9))


def span(axes, x0, x1, y, text):
    axes.annotate("", xy=(x0, y), xytext=(x1, y), arrowprops=dict(arrowstyle="<->", linewidth=0.9))
    axes.text((x0 + x1) / 2, y - 0.1, text, ha="center", va="top", fontsize=8)


def draw(axes):
    sender = ["done"] * 3 + ["failed", "done", "open", "open", "open"] + ["free"] * 6
    cells(axes, 8, "FSN, sender", 4, sender)
    edge(axes, 3, 8, "txBase")
    edge(axes, 8, 8, "next FSN")
    span(axes, 3, 11, 7.7, "window")
    receiver = ["done"] * 3 + ["open", "held", "held"] + ["free"] * 8
    cells(axes, 4.6, "FSN, receiver", 4, receiver)
    edge(axes, 3, 4.6, "rxBase")
    span(axes, 3, 11, 4.3, "window")
    transmissions = ["done"] * 3 + ["failed", "done", "held", "open", "open", "open"]
    cells(axes, 1.2, "TSN\nand its frame", 0, transmissions, [f"{20 + i}\n{frame}" for i, frame in enumerate((4, 5, 6, 7, 8, 9, 10, 11, 7))])
    edge(axes, 5, 1.2, "ackTsn")
    edge(axes, 6, 1.2, "rxNext", above=False)
    edge(axes, 9, 1.2, "txEdge")
    legend = [
        ("done", "acknowledged, delivered"),
        ("failed", "to be sent again"),
        ("held", "came, waits"),
        ("open", "outcome or frame missing"),
        ("free", "not sent"),
    ]
    x = -0.5
    for kind, text in legend:
        axes.add_patch(Rectangle((x, -1.2), 0.5, 0.5, facecolor=COLOURS[kind], edgecolor="black", linewidth=0.8))
        axes.text(x + 0.65, -0.95, text, va="center", fontsize=7)
        x += 1.1 + 0.155 * len(text)
    axes.set_xlim(-4.2, 16)
    axes.set_ylim(-1.5, 10.2)
