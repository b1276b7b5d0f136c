# SPDX-License-Identifier: Apache-2.0
"""One end of a link: packets to units in the upper row, units to packets in the lower one, and between them what steers both."""

from matplotlib.patches import FancyBboxPatch

SIZE = (10.5, 5.6)
WIDTH, HEIGHT = 2.5, 0.9
# Kind -> colour, meaning, place in the legend.
KINDS = {
    "data": ("#dbe8f7", "packets, units, frames", -1.2),
    "arq": ("#fde9c8", "ARQ and delivery", 3.5),
    "control": ("#e3f1dc", "control units and link state", 7.6),
    "registers": ("#ececec", "registers", 12.8),
}

# Name -> column, row (row 0 is the lowest), kind.
BLOCKS = {
    "Segmenter": (0, 3, "data"),
    "FrameStore\n(transmit)": (1, 3, "data"),
    "RsEncoder": (2, 3, "data"),
    "Framer": (3, 3, "data"),
    "CsrBank": (0, 1.5, "registers"),
    "ArqSender": (1, 2.1, "arq"),
    "LinkControl": (2, 1.5, "control"),
    "ControlComposer": (3, 2.1, "control"),
    "Resequencer": (1, 0.9, "arq"),
    "OutcomeLog,\nOlderReports": (3, 0.9, "arq"),
    "Reassembler": (0, 0, "data"),
    "RsDecoder": (1, 0, "data"),
    "FrameStore\n(receive)": (2, 0, "data"),
    "ArqReceiver": (3, 0, "arq"),
    "Deframer": (4, 0, "data"),
}
COLUMN, ROW = 3.5, 2.1


def centre(name):
    column, row, _ = BLOCKS[name]
    return column * COLUMN, row * ROW


def block(axes, name):
    x, y = centre(name)
    axes.add_patch(
        FancyBboxPatch(
            (x - WIDTH / 2, y - HEIGHT / 2),
            WIDTH,
            HEIGHT,
            boxstyle="round,pad=0,rounding_size=0.1",
            facecolor=KINDS[BLOCKS[name][2]][0],
            edgecolor="black",
            linewidth=0.9,
        )
    )
    axes.text(x, y, name, ha="center", va="center", fontsize=8.5)


def line(axes, points, text="", at=(0, 0), bold=True, align="center"):
    """An arrow along `points`; `text` is at `at`. Bold: units and packets; thin: what steers them."""
    style = dict(color="black" if bold else "#555555", linewidth=1.5 if bold else 0.9)
    for start, end in zip(points[:-2], points[1:-1], strict=True):
        axes.plot(*zip(start, end, strict=True), solid_capstyle="round", **style)
    axes.annotate("", xy=points[-1], xytext=points[-2], arrowprops=dict(arrowstyle="->", shrinkA=0, shrinkB=0, **style))
    if text:
        box = dict(facecolor="white", edgecolor="none", pad=0.6)
        axes.text(*at, text, ha=align, va="center", fontsize=7, color=style["color"], bbox=box)


def side(name, where):
    x, y = centre(name)
    dx, dy = {"left": (-1, 0), "right": (1, 0), "top": (0, 1), "bottom": (0, -1)}[where]
    return x + dx * WIDTH / 2, y + dy * HEIGHT / 2


def across(axes, start, end):
    (x0, _), (x1, _) = centre(start), centre(end)
    line(axes, [side(start, "right" if x1 > x0 else "left"), side(end, "left" if x1 > x0 else "right")])


def port(axes, name, text, incoming):
    x, y = centre(name)
    direction = -1 if BLOCKS[name][0] == 0 else 1
    inner, outer = (x + direction * WIDTH / 2, y), (x + direction * (WIDTH / 2 + 1.1), y)
    line(axes, [outer, inner] if incoming else [inner, outer])
    axes.text(outer[0] + direction * 0.1, y, text, ha="right" if direction < 0 else "left", va="center", fontsize=8.5, family="monospace")


def draw(axes):
    def thin(points, text="", at=(0, 0), align="center"):
        line(axes, points, text, at, bold=False, align=align)

    for chain in (
        ("Segmenter", "FrameStore\n(transmit)", "RsEncoder", "Framer"),
        ("Deframer", "ArqReceiver", "FrameStore\n(receive)", "RsDecoder", "Reassembler"),
    ):
        for start, end in zip(chain[:-1], chain[1:], strict=True):
            across(axes, start, end)
    port(axes, "Segmenter", "s_axis", True)
    port(axes, "Framer", "m_axis_phy", False)
    port(axes, "Deframer", "s_axis_phy", True)
    port(axes, "Reassembler", "m_axis", False)
    x, y = centre("CsrBank")
    thin([(x - WIDTH / 2 - 1.1, y), (x - WIDTH / 2, y)])
    axes.text(x - WIDTH / 2 - 1.2, y, "s_axil, irq", ha="right", va="center", fontsize=8.5, family="monospace")
    thin([(x + WIDTH / 2, y), (x + WIDTH / 2 + 0.75, y)], "settings,\ncounters", (x + WIDTH / 2 + 0.95, y), "left")

    sender, receiver, control, composer = (centre(name) for name in ("ArqSender", "ArqReceiver", "LinkControl", "ControlComposer"))
    half = HEIGHT / 2
    thin([side("Segmenter", "bottom"), (0, sender[1]), side("ArqSender", "left")], "frames that\nmay be sent", (0.1, sender[1] + 0.45), "left")
    thin([side("ArqSender", "top"), side("FrameStore\n(transmit)", "bottom")], "frame, N, TSN", (COLUMN, sender[1] + 0.93))
    thin([(sender[0] + 0.8, sender[1] + half), (sender[0] + 0.8, sender[1] + 0.68), (2 * COLUMN, sender[1] + 0.68), side("RsEncoder", "bottom")])
    thin([side("ControlComposer", "top"), side("Framer", "bottom")], "control units", (3 * COLUMN, composer[1] + 0.93))
    thin([(sender[0] + WIDTH / 2, sender[1]), (composer[0] - WIDTH / 2, composer[1])], "edges, gaps", (2 * COLUMN, sender[1]))
    thin(
        [(control[0] + WIDTH / 2, control[1]), (composer[0] - 0.7, control[1]), (composer[0] - 0.7, composer[1] - half)],
        "link state",
        (2.5 * COLUMN + 0.35, control[1]),
    )
    thin([side("OutcomeLog,\nOlderReports", "top"), side("ControlComposer", "bottom")], "outcomes", (3 * COLUMN + 0.1, control[1] - 0.12), "left")
    thin([side("ArqReceiver", "top"), side("OutcomeLog,\nOlderReports", "bottom")], "decisions", (3 * COLUMN, 0.93))
    deframer = centre("Deframer")
    low = 0.9 * ROW - 0.72
    thin([side("Deframer", "top"), (deframer[0], control[1] - 0.38), (control[0] + WIDTH / 2, control[1] - 0.38)], "control units", (deframer[0], 0.9 * ROW))
    thin([(control[0] - WIDTH / 2, control[1]), (sender[0] + 0.6, control[1]), (sender[0] + 0.6, sender[1] - half)], "reports", (1.5 * COLUMN, control[1]))
    thin(
        [(control[0] + 0.8, control[1] - half), (control[0] + 0.8, low), (receiver[0] - 0.7, low), (receiver[0] - 0.7, half)],
        "edges\nto close",
        (control[0] + 0.9, low + 0.42),
        "left",
    )
    thin(
        [(receiver[0] - 0.95, half), (receiver[0] - 0.95, 0.72), (2 * COLUMN + 0.35, 0.72), (2 * COLUMN + 0.35, 0.9 * ROW), side("Resequencer", "right")],
        "complete\nframes", (1.68 * COLUMN, 0.9 * ROW),
    )  # fmt: skip
    thin([side("Resequencer", "bottom"), (COLUMN, 0.72), (2 * COLUMN - 0.35, 0.72), (2 * COLUMN - 0.35, half)], "frames to read", (1.35 * COLUMN, 0.78))
    for colour, meaning, x in KINDS.values():
        axes.add_patch(FancyBboxPatch((x, -1.35), 0.4, 0.3, boxstyle="square,pad=0", facecolor=colour, edgecolor="black", linewidth=0.7))
        axes.text(x + 0.55, -1.2, meaning, va="center", fontsize=7.5)
    for name in BLOCKS:
        block(axes, name)
    axes.set_xlim(-4.2, 18.2)
    axes.set_ylim(-1.6, 7.1)
