# SPDX-License-Identifier: Apache-2.0
"""Takes the cells away that nextpnr would put at the ends of ECP5 carry chains.

A chain's carries come and leave over fixed wires. To start one with a constant, nextpnr puts a cell of two LUTs ahead of it, and as many
behind it where the last carry is a net, even if nobody reads it. This pass works on Yosys's JSON netlist after `synth_ecp5`: an unread carry
is no net any more, and the chain's first digit makes the carry that a constant would have led to by itself. It cannot give its own sum
then, which takes one LUT if it is read.
"""

from collections import Counter

CARRY = "CCU2C"
NOTHING = ["x"]
"""What an input or output is connected to that is no net; nextpnr wants every pin named."""


def shorten(module):
    """Changes the chains of one module of the netlist, in place. Returns the number of starts and of ends that were changed."""
    cells = module["cells"]
    loads = Counter()
    for cell in cells.values():
        for pin, nets in cell["connections"].items():
            if cell["port_directions"].get(pin) != "output":
                loads.update(nets)
    for port in module["ports"].values():
        if port["direction"] == "output":
            loads.update(port["bits"])

    starts = ends = 0
    for name, cell in [item for item in cells.items() if item[1]["type"] == CARRY]:
        nets = cell["connections"]
        if nets["COUT"] != NOTHING and not loads[nets["COUT"][0]]:
            nets["COUT"] = NOTHING
            ends += 1
        if all(nets[pin] in (["0"], ["1"]) for pin in ("CIN", "C0", "D0")):
            first = _start(cell)
            if loads[first["connections"]["Z"][0]]:
                cells[f"{name}_first"] = first
            starts += 1
    return starts, ends


def _start(cell):
    """Lets the first of a cell's two digits make the carry from its inputs A and B alone; returns the LUT for its sum, or None.

    In a CCU2C the carry of a digit is the one that comes in where its LUT of four inputs gives 1, and otherwise what the lowest four
    bits of its table say for A and B. So a LUT that gives 0 leaves that table alone to decide.
    """
    nets, parameters = cell["connections"], cell["parameters"]
    table = int(parameters["INIT0"], 2)
    carry_in = nets["CIN"] == ["1"]
    upper = 4 * (nets["C0"] == ["1"]) + 8 * (nets["D0"] == ["1"])
    passes = [table >> (upper + ab) & 1 for ab in range(4)]
    makes = [table >> ab & 1 for ab in range(4)]
    carry = [carry_in if passes[ab] else makes[ab] for ab in range(4)]
    parameters["INIT0"] = f"{sum(bit << ab for ab, bit in enumerate(carry)):016b}"
    pins = {"A": nets["A0"], "B": nets["B0"], "C": ["0"], "D": ["0"], "Z": nets["S0"]}
    nets.update(C0=["0"], D0=["1"], CIN=NOTHING, S0=NOTHING)
    return {
        "type": "LUT4",
        "parameters": {"INIT": f"{sum((bit ^ carry_in) << ab for ab, bit in enumerate(passes)):016b}"},
        "attributes": {},
        "port_directions": {pin: "output" if pin == "Z" else "input" for pin in pins},
        "connections": pins,
    }
