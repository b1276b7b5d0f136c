# SPDX-License-Identifier: Apache-2.0
"""RsDecoder: a frame's job at the top decides the coefficients, its units go through the middle, and those that need no decoding through the bottom."""

from docs.tools.figures.structure import ARQ, DATA, TABLE, Structure

SIZE = (10.5, 4.2)
COLUMN = 4.3


def draw(axes):
    decoder = Structure(axes, width=3.0)
    for name, at, colour in (
        ("DecodeFront", (0, 4), ARQ),
        ("PointLists", (1, 4), ARQ),
        ("Coefficient\nGenerator", (2, 4), ARQ),
        ("DecodeSequencer", (1, 2), DATA),
        ("MacArray", (2, 2), DATA),
        ("RecoveredStore\n(block RAM)", (3, 2), TABLE),
        ("DeepQueue\n(two frames)", (3, 0), TABLE),
        ("DecodeMerge", (4, 1), DATA),
    ):
        decoder.block(name, (at[0] * COLUMN, at[1]), colour)
    side, thin = decoder.side, decoder.thin
    decoder.port("DecodeFront", "job", incoming=True)
    decoder.across("DecodeFront", "PointLists", bold=False)
    decoder.across("PointLists", "Coefficient\nGenerator", bold=False)
    thin(
        [side("Coefficient\nGenerator", "bottom", 0.7), (2 * COLUMN + 0.7, 3), (COLUMN + 0.7, 3), side("DecodeSequencer", "top", 0.7)],
        "a coefficient for each lane,\nunit by unit",
        (1.5 * COLUMN + 0.7, 3),
    )
    thin([side("DecodeFront", "bottom", 0.6), (0.6, 3), (COLUMN - 0.6, 3), side("DecodeSequencer", "top", -0.6)], "K, preset", (0.45 * COLUMN, 3))
    thin([side("DecodeFront", "bottom", -0.6), (-0.6, -1), (4 * COLUMN, -1), side("DecodeMerge", "bottom")], "which data units are missing", (1.5 * COLUMN, -1))
    decoder.port("DecodeSequencer", "input: K units", incoming=True, length=1.0)
    decoder.across("DecodeSequencer", "MacArray", "each\nunit", 0.4)
    decoder.across("MacArray", "RecoveredStore\n(block RAM)", "sums of the\nmissing\nunits", 0.62)
    decoder.line([side("DecodeSequencer", "bottom"), (COLUMN, 0), side("DeepQueue\n(two frames)", "left")], "data units that came", (2 * COLUMN, 0.25))
    merge = decoder.centres["DecodeMerge"]
    for name, along in (("RecoveredStore\n(block RAM)", 0.2), ("DeepQueue\n(two frames)", -0.2)):
        x, y = side(name, "right")
        decoder.line([(x, y), (x + 0.45, y), (x + 0.45, merge[1] + along), side("DecodeMerge", "left", along)])
    decoder.port("DecodeMerge", "output:\nK data units", incoming=False)
    axes.set_xlim(-3.4, 22.4)
    axes.set_ylim(-1.4, 4.7)
