# SPDX-License-Identifier: Apache-2.0
"""One end of a link: packets to units in the upper row, units to packets in the lower one, and between them what steers both."""

from matplotlib.patches import FancyBboxPatch

from docs.tools.figures.structure import ARQ, CONTROL, DATA, REGISTERS, Structure

SIZE = (10.5, 5.6)
# Kind -> colour, meaning, place in the legend.
KINDS = {
    "data": (DATA, "packets, units, frames", -1.2),
    "arq": (ARQ, "ARQ and delivery", 3.5),
    "control": (CONTROL, "control units and link state", 7.6),
    "registers": (REGISTERS, "registers", 12.8),
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


def draw(axes):
    link = Structure(axes)
    for name, (column, row, kind) in BLOCKS.items():
        link.block(name, (column * COLUMN, row * ROW), KINDS[kind][0])
    centre, side, thin, width = link.centres.__getitem__, link.side, link.thin, link.width
    for chain in (
        ("Segmenter", "FrameStore\n(transmit)", "RsEncoder", "Framer"),
        ("Deframer", "ArqReceiver", "FrameStore\n(receive)", "RsDecoder", "Reassembler"),
    ):
        for start, end in zip(chain[:-1], chain[1:], strict=True):
            link.across(start, end)
    link.port("Segmenter", "s_axis", incoming=True)
    link.port("Framer", "m_axis_phy", incoming=False)
    link.port("Deframer", "s_axis_phy", incoming=True, to_left=False)
    link.port("Reassembler", "m_axis", incoming=False, to_left=True)
    link.port("CsrBank", "s_axil, irq", incoming=True, bold=False)
    x, y = centre("CsrBank")
    thin([(x + width / 2, y), (x + width / 2 + 0.75, y)], "settings,\ncounters", (x + width / 2 + 0.95, y), "left")

    sender, receiver, control, composer = (centre(name) for name in ("ArqSender", "ArqReceiver", "LinkControl", "ControlComposer"))
    half = link.height / 2
    thin([side("Segmenter", "bottom"), (0, sender[1]), side("ArqSender", "left")], "frames that\nmay be sent", (0.1, sender[1] + 0.45), "left")
    thin([side("ArqSender", "top"), side("FrameStore\n(transmit)", "bottom")], "frame, N, TSN", (COLUMN, sender[1] + 0.93))
    thin([(sender[0] + 0.8, sender[1] + half), (sender[0] + 0.8, sender[1] + 0.68), (2 * COLUMN, sender[1] + 0.68), side("RsEncoder", "bottom")])
    thin([side("ControlComposer", "top"), side("Framer", "bottom")], "control units", (3 * COLUMN, composer[1] + 0.93))
    thin([(sender[0] + width / 2, sender[1]), (composer[0] - width / 2, composer[1])], "edges, gaps", (2 * COLUMN, sender[1]))
    thin(
        [(control[0] + width / 2, control[1]), (composer[0] - 0.7, control[1]), (composer[0] - 0.7, composer[1] - half)],
        "link state",
        (2.5 * COLUMN + 0.35, control[1]),
    )
    thin([side("OutcomeLog,\nOlderReports", "top"), side("ControlComposer", "bottom")], "outcomes", (3 * COLUMN + 0.1, control[1] - 0.12), "left")
    thin([side("ArqReceiver", "top"), side("OutcomeLog,\nOlderReports", "bottom")], "decisions", (3 * COLUMN, 0.93))
    deframer = centre("Deframer")
    low = 0.9 * ROW - 0.72
    thin([side("Deframer", "top"), (deframer[0], control[1] - 0.38), (control[0] + width / 2, control[1] - 0.38)], "control units", (deframer[0], 0.9 * ROW))
    thin([(control[0] - width / 2, control[1]), (sender[0] + 0.6, control[1]), (sender[0] + 0.6, sender[1] - half)], "reports", (1.5 * COLUMN, control[1]))
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
    axes.set_xlim(-4.2, 18.2)
    axes.set_ylim(-1.6, 7.1)
