# SPDX-License-Identifier: Apache-2.0
"""The pass that moves registers into block RAMs, on netlists of one block RAM."""

import copy

import pytest

from arqlink.fpga.output_registers import merge

CLOCK, ENABLE = 2, 3
FLIP_FLOP = {"CEMUX": "CE", "CLKMUX": "CLK", "GSR": "DISABLED", "LSRMUX": "LSR", "REGSET": "RESET"}


def flip_flop(data, output, **changes):
    nets = {"CLK": [CLOCK], "CE": [ENABLE], "LSR": ["0"], "DI": [data], "Q": [output]} | changes
    return {
        "type": "TRELLIS_FF",
        "parameters": dict(FLIP_FLOP),
        "connections": nets,
        "port_directions": {name: "output" if name == "Q" else "input" for name in nets},
    }


def netlist(width=18):
    """A RAM whose bits 10 and 11 are read through flip-flops into nets 20 and 21, which leave the module."""
    outputs = {"DOA0": [10], "DOB1": [11]} if width == 36 else {"DOB0": [10], "DOB1": [11]}
    nets = {"CLKA": [CLOCK], "CLKB": [CLOCK], "OCEA": ["0"], "OCEB": ["1"], **outputs}
    parameters = {"CLKAMUX": "CLKA", "CLKBMUX": "CLKB", "REGMODE_A": "NOREG", "REGMODE_B": "NOREG"}
    parameters |= {f"DATA_WIDTH_{letter}": f"{width:032b}" for letter in "AB"}
    ram = {
        "type": "DP16KD",
        "parameters": parameters,
        "connections": nets,
        "port_directions": {name: "output" if name.startswith("DO") else "input" for name in nets},
    }
    ports = {"q": {"direction": "output", "bits": [20, 21]}}
    return {"ports": ports, "cells": {"ram": ram, "f0": flip_flop(10, 20), "f1": flip_flop(11, 21)}}


def test_register_moves_into_the_ram():
    module = netlist()
    assert merge(module) == (1, 2)
    assert list(module["cells"]) == ["ram"]
    ram = module["cells"]["ram"]
    assert (ram["connections"]["DOB0"], ram["connections"]["DOB1"]) == ([20], [21])
    assert ram["parameters"]["REGMODE_B"] == "OUTREG" and ram["parameters"]["REGMODE_A"] == "NOREG"
    assert ram["connections"]["OCEB"] == [ENABLE]


def test_a_port_of_36_bits_takes_both_halves():
    module = netlist(36)
    assert merge(module) == (1, 2)
    ram = module["cells"]["ram"]
    assert ram["parameters"]["REGMODE_A"] == ram["parameters"]["REGMODE_B"] == "OUTREG"


def test_a_register_without_enable_is_always_enabled():
    module = netlist()
    for name in ("f0", "f1"):
        module["cells"][name]["parameters"]["CEMUX"] = "1 "
        del module["cells"][name]["connections"]["CE"]
    assert merge(module) == (1, 2)
    assert module["cells"]["ram"]["connections"]["OCEB"] == ["1"]


def test_an_inverted_enable_gets_an_inverter():
    """A LUT, as the output register cannot invert."""
    module = netlist()
    for name in ("f0", "f1"):
        module["cells"][name]["parameters"]["CEMUX"] = "INV"
    assert merge(module) == (1, 2)
    (lut,) = [c for c in module["cells"].values() if c["type"] == "LUT4"]
    init = int(lut["parameters"]["INIT"], 2)
    assert lut["connections"]["A"] == [ENABLE] and [init >> a & 1 for a in (0, 1)] == [1, 0]
    assert module["cells"]["ram"]["connections"]["OCEB"] == lut["connections"]["Z"]
    assert lut["connections"]["Z"][0] not in (CLOCK, ENABLE, 10, 11, 20, 21)


def second_load(module):
    module["ports"]["q"]["bits"].append(10)


def no_register(module):
    del module["cells"]["f1"]
    module["ports"]["q"]["bits"].append(11)


def change(pin, net):
    def apply(module):
        module["cells"]["f1"]["connections"][pin] = [net]

    return apply


def set_at_start(module):
    module["cells"]["f1"]["parameters"]["REGSET"] = "SET"


def falling_edge(module):
    module["cells"]["f1"]["parameters"]["CLKMUX"] = "INV"


@pytest.mark.parametrize(
    "differ",
    [second_load, no_register, change("CE", 30), change("CLK", 31), change("LSR", 32), set_at_start, falling_edge],
    ids=["second load", "no register", "another enable", "another clock", "reset", "set", "falling edge"],
)
def test_what_a_register_in_the_ram_cannot_do_stays(differ):
    module = netlist()
    differ(module)
    before = copy.deepcopy(module)
    assert merge(module) == (0, 0)
    assert module == before
