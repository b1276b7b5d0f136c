# SPDX-License-Identifier: Apache-2.0
"""Measurements on the RTL. A test and `arqlink bench` call the same function: it builds, runs a bench that asserts what is due, and returns what was
measured, in clocks and shares of clocks."""

from cocotb_tests.lib import rtl
from cocotb_tests.statistics.line_use import Point
from cocotb_tests.statistics.line_use import measure as line_use  # noqa: F401

CODECS = ("paper", "tiny", "short1", "default", "line10g", "codec16", "montecarlo", "wide", "corner", "long")
"""Widths of 1 to 16 bytes, units of two beats up to a hundred, one parity unit up to eight. tests/run/test_codec_cli.py covers configuration codec."""
ENDS = ("tiny", "paper", "default", "line10g")
"""1, 1, 4 and 8 bytes."""


SHORTEST = (
    ("tiny", ("unitBytes=2", "maxPacketBytes=64")),
    ("tiny", ("dataBytes=2", "unitBytes=4", "maxPacketBytes=128")),
    ("small", ()),
    ("short8", ()),
)
"""Builds with units of two beats: 1, 2, 4 and 8 bytes a beat."""

LINE_POINTS = (
    *(
        Point(*point)
        for point in (
            ("tiny", 4, 4, 0, 1500),
            ("tiny", 4, 5, 0, 1500),
            ("tiny", 4, 5, 0.01, 3000),
            ("tiny", 4, 6, 0.05, 3000),
            ("paper", 10, 10, 0, 500),
            ("paper", 10, 11, 0, 500),
            ("paper", 10, 18, 0, 500),
            ("paper", 10, 11, 0.01, 3000),
            ("paper", 10, 13, 0.05, 3000),
            ("default", 16, 16, 0, 500),
            ("default", 16, 18, 0, 500),
            ("default", 16, 24, 0, 500),
            ("default", 16, 18, 0.01, 3000),
            ("default", 16, 20, 0.05, 3000),
            ("wide8", 8, 8, 0, 1000),
            ("wide8", 8, 10, 0, 1000),
            ("wide8", 8, 10, 0.05, 4000),
            ("line10g", 32, 32, 0, 500),
            ("line10g", 32, 36, 0, 500),
            ("line10g", 32, 36, 0.01, 1500),
            ("line10g", 32, 38, 0.05, 1500),
        )
    ),
    # Frames of one unit of two beats at each width, and packets of one unit with two units of parity: a generated packet has eight bytes or more.
    *(Point(config, 1, 1, 0, 4000, 0, settings) for config, settings in SHORTEST),
    Point("small", 4, 6, 0, 2000, 1),
    Point("short8", 4, 6, 0, 2000, 1),
    Point("paper8", 1, 1, 0, 4000),
    Point("montecarlo", 10, 11, 0, 1000),
)


def encoder(config):
    """Beats a clock, and clocks from job and data to the first beat, and from the last data beat to the first of parity."""
    return rtl.run("RsEncoder", config, "cocotb_tests.codec.tb_encoder")


def decoder(config):
    """Beats a clock, and clocks from the last needed beat to the frame's last beat, with what a frame takes itself."""
    return rtl.run("RsDecoder", config, "cocotb_tests.codec.tb_decoder")


def latency(config):
    """Clocks that an idle link end takes from the user to the line, and from the line to the user."""
    return rtl.run("ArqPair", config, "cocotb_tests.system.tb_latency")


def nack(config):
    """Clocks from a NACK to the first beat of the retransmission, on an idle line."""
    return rtl.run("ArqPair", config, "cocotb_tests.system.tb_nack")


CLOCKS = {"encoder": (encoder, CODECS), "decoder": (decoder, CODECS), "latency": (latency, ENDS), "nack": (nack, ENDS)}
"""Kind -> what measures it, and the configurations of the table."""
