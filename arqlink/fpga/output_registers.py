# SPDX-License-Identifier: Apache-2.0
"""Merges registers behind ECP5 block RAMs into their output registers, which Yosys leaves unused.

A block RAM's data comes 5.8 ns after the clock, that of its output register after 1.0 ns (ECP5, speed grade 6). The generated
Verilog has the register as a plain one behind the read, as every vendor's tool knows it. This pass works on Yosys's JSON netlist after
`synth_ecp5`: a read port whose used data bits each feed exactly one flip-flop, all of one clock and one enable and without reset,
takes these flip-flops over. A flip-flop may invert its enable, an output register may not: it gets an inverter.
"""

from collections import Counter
from dataclasses import dataclass

RAM = "DP16KD"
FLIP_FLOP = "TRELLIS_FF"
DATA_BITS = 18
"""Data bits of one of the two ports; a read port of 36 bits takes those of both."""


@dataclass(frozen=True)
class Port:
    """A read port: the letters of the data outputs it takes, and of the port that clocks it."""

    letters: str
    clock: str


def ports(ram):
    """The read ports of a block RAM."""
    widths = [int(ram["parameters"][f"DATA_WIDTH_{letter}"], 2) for letter in "AB"]
    if max(widths) > DATA_BITS:  # one port writes 36 bits, the other one reads them
        return [Port("AB", "B")]
    return [Port("A", "A"), Port("B", "B")]


def _data(ram, port):
    """Names of the data outputs that are connected, with their nets."""
    names = [f"DO{letter}{i}" for letter in port.letters for i in range(DATA_BITS)]
    return {name: ram["connections"][name][0] for name in names if ram["connections"].get(name)}


def merge(module):
    """Merges in one module of the netlist, in place. Returns the number of read ports and of flip-flops that were merged."""
    cells = module["cells"]
    loads, readers = Counter(), {}
    for name, cell in cells.items():
        for pin, nets in cell["connections"].items():
            if cell["port_directions"].get(pin) == "output":
                continue
            for net in nets:
                loads[net] += 1
                if cell["type"] == FLIP_FLOP and pin == "DI":
                    readers[net] = name
    for port in module["ports"].values():
        loads.update(net for net in port["bits"] if port["direction"] == "output")

    merged_ports = merged_bits = 0
    inverted = {}
    for ram in [c for c in cells.values() if c["type"] == RAM]:
        for port in ports(ram):
            used = {pin: net for pin, net in _data(ram, port).items() if loads[net]}
            registers = {pin: readers.get(net) for pin, net in used.items() if loads[net] == 1}
            if not used or len(registers) != len(used) or None in registers.values():
                continue
            kinds = {_kind(cells[name]) for name in registers.values()}
            clock = (ram["connections"][f"CLK{port.clock}"][0], ram["parameters"][f"CLK{port.clock}MUX"])
            if len(kinds) != 1:
                continue
            kind = kinds.pop()
            if kind is None or (kind[0], f"CLK{port.clock}") != clock:
                continue
            enable = kind[1]
            if kind[2] == "INV":
                if enable not in inverted:
                    inverted[enable] = _inverter(module, enable)
                enable = inverted[enable]
            for letter in port.letters:
                ram["parameters"][f"REGMODE_{letter}"] = "OUTREG"
                ram["connections"][f"OCE{letter}"] = [enable]
            for pin, name in registers.items():
                ram["connections"][pin] = cells.pop(name)["connections"]["Q"]
            merged_ports += 1
            merged_bits += len(registers)
    return merged_ports, merged_bits


def _kind(cell):
    """Clock, enable and the latter's polarity of a flip-flop that an output register can stand for; None of any other."""
    parameters, nets = cell["parameters"], cell["connections"]
    has_reset = nets.get("LSR", ["0"]) != ["0"]
    if has_reset or parameters["CLKMUX"] != "CLK" or parameters["REGSET"] != "RESET":
        return None
    enable = parameters["CEMUX"].strip()
    if enable not in ("1", "CE", "INV"):
        return None
    return nets["CLK"][0], "1" if enable == "1" else nets["CE"][0], enable


def _inverter(module, net):
    """Adds a LUT that inverts a net; returns the net of its output."""
    cells = module["cells"].values()
    named = [name["bits"] for name in module.get("netnames", {}).values()]
    taken = [bit for bits in [*named, *(b for cell in cells for b in cell["connections"].values())] for bit in bits]
    output = 1 + max(bit for bit in taken if isinstance(bit, int))
    nets = {"A": [net], "B": ["0"], "C": ["0"], "D": ["0"], "Z": [output]}
    module["cells"][f"inverted_enable_{net}"] = {
        "type": "LUT4",
        "parameters": {"INIT": "0101010101010101"},
        "attributes": {},
        "port_directions": {name: "output" if name == "Z" else "input" for name in nets},
        "connections": nets,
    }
    return output
