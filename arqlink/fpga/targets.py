# SPDX-License-Identifier: Apache-2.0
"""What is placed and routed, on which device, and what it has to reach."""

import json
from dataclasses import dataclass

from arqlink import tree
from arqlink.fpga.devices import ECP5, ECP5_25, ECP5_25_LINK, ECP5_LINK, GOWIN, NEXUS, XC7, Device


@dataclass(frozen=True)
class Board:
    """What makes a bitstream of a block: pins and clock (a path within the repository), and the program in its RAM (of build/sw)."""

    pins: str
    program: str


@dataclass(frozen=True)
class Demand:
    """Clock rate to reach, and logic cells that may be used; None: no demand."""

    mhz: float | None = None
    luts: int | None = None

    def __str__(self):
        return ", ".join([*([f"{self.mhz:g} MHz"] if self.mhz else []), *([f"{self.luts:,} LUT"] if self.luts else [])]) or "-"

    def met(self, mhz, luts):
        return (self.mhz is None or mhz >= self.mhz) and (self.luts is None or luts <= self.luts)


@dataclass(frozen=True)
class Target:
    """A block in a configuration: between registers (SynthShell), or with the pins of a board.

    `must`, `goal`: what it has to reach and is meant to reach. `budget`: what seed 1 gave when it was last improved, from which CI
    allows a small distance (tests/fpga/test_synth.py). `ask`: clock rate that is asked of the tools, MHz.
    """

    name: str
    block: str
    config: str
    device: Device = ECP5
    settings: tuple = ()
    must: Demand = Demand()
    goal: Demand = Demand()
    budget: Demand = Demand()
    ask: float = 250.0
    board: Board | None = None

    @property
    def data_bytes(self):
        """Width of the datapath, in bytes a clock."""
        changed = dict(setting.split("=") for setting in self.settings)
        return int(changed.get("dataBytes", json.loads(tree.CONFIGS.read_text())[self.config]["data_bytes"]))


ULX3S = Target(
    "ulx3s",
    "Ulx3s",
    "default",
    ECP5_LINK,
    settings=(
        "clockHz=50000000", "uartDivider=53", "maxDelay=4096",
        "unitBytes=32", "windowFrames=64", "maxPacketBytes=2048", "maxK=8", "maxParity=4", "k=8", "nFirst=10", "nRetx=10",
    ),
    must=Demand(50),
    goal=Demand(100),
    ask=50,
    board=Board("constraints/ulx3s/ulx3s.lpf", "firmware"),
)  # fmt: skip
"""Both ends of the pair and the soft system; the frame stores of four directions have to fit, and units are short enough for sums outside
block RAM."""


SMALL_PAPER = ("windowFrames=64", "maxPacketBytes=1500")
SMALL_DEFAULT = ("windowFrames=64", "maxPacketBytes=4096")


def link(name, config, device=ECP5_LINK, **more):
    """A whole link core."""
    return Target(name, "ArqLink", config, device, **more)


def elsewhere(place, device, config, **more):
    """Encoder and decoder of `default`, and a whole link, on another device; of these nothing is demanded."""
    codecs = (Target(f"{kind}-{place}", f"Rs{kind.capitalize()}", "default", device, ask=150) for kind in ("encoder", "decoder"))
    return (*codecs, link(f"{config}-{place}", config, device, ask=100, **more))


TARGETS = (
    Target("encoder-default", "RsEncoder", "default", budget=Demand(222, 1796)),
    Target("decoder-default", "RsDecoder", "default", budget=Demand(198, 2813)),
    Target("encoder", "RsEncoder", "line10g", must=Demand(200, 5500), goal=Demand(240, 4500)),
    Target("decoder", "RsDecoder", "line10g", must=Demand(180, 8000), goal=Demand(220, 6000)),
    Target("encoder-16", "RsEncoder", "line10g", settings=("dataBytes=16",), must=Demand(160), goal=Demand(200)),
    Target("decoder-16", "RsDecoder", "line10g", settings=("dataBytes=16",), must=Demand(160), goal=Demand(200)),
    link("paper-64", "paper", settings=SMALL_PAPER),
    link("paper-512", "paper", settings=("windowFrames=512", "maxPacketBytes=1500")),
    link("default", "default", settings=SMALL_DEFAULT, must=Demand(165, 10_000), goal=Demand(180)),
    link("line10g", "line10g", must=Demand(156.25, 25_000), goal=Demand(180, 16_000)),
    Target("byte-stream", "ByteStreamPhy", "paper", must=Demand(150), goal=Demand(200), budget=Demand(209, 267)),
    ULX3S,
    link("tiny", "tiny", ECP5_25_LINK),
    Target("encoder-tiny", "RsEncoder", "tiny", ECP5_25, budget=Demand(278, 343)),
    Target("decoder-tiny", "RsDecoder", "tiny", ECP5_25, budget=Demand(213, 764)),
    *elsewhere("nexus", NEXUS, "paper", settings=SMALL_PAPER),
    *elsewhere("gowin", GOWIN, "tiny"),
    *elsewhere("xc7", XC7, "default", settings=SMALL_DEFAULT),
)


def named(name):
    """The target of that name; KeyError."""
    return {target.name: target for target in TARGETS}[name]
