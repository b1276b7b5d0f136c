# SPDX-License-Identifier: Apache-2.0
"""The pass that shortens carry chains: what the netlist computes stays the same, and fewer cells are needed."""

import copy
from itertools import product

import pytest

from arqlink.fpga.carry_chains import shorten

ADDS = "1001011010101010"
"""Table of a digit that adds A and B, or subtracts B where C is 1 (Yosys, arith_map of ECP5)."""
DIGITS = 4
A, B, SUM, COUT, BETWEEN = 10, 20, 30, 40, 41


def chain(carry_in, subtracts, read=True):
    """Two cells that add, or subtract, numbers of four bits on nets A and B. `read`: the sums and the last carry leave the module."""
    cells = {}
    for i in range(0, DIGITS, 2):
        nets = {"CIN": [BETWEEN] if i else [carry_in], "COUT": [COUT] if i + 2 == DIGITS else [BETWEEN]}
        for half in (0, 1):
            nets |= {f"A{half}": [A + i + half], f"B{half}": [B + i + half], f"C{half}": [subtracts], f"D{half}": ["1"]}
            nets[f"S{half}"] = [SUM + i + half]
        cells[f"c{i}"] = {
            "type": "CCU2C",
            "parameters": {"INIT0": ADDS, "INIT1": ADDS, "INJECT1_0": "NO", "INJECT1_1": "NO"},
            "connections": nets,
            "port_directions": {pin: "output" if pin in ("S0", "S1", "COUT") else "input" for pin in nets},
        }
    outputs = [*range(SUM, SUM + DIGITS), COUT]
    return {"ports": {"q": {"direction": "output", "bits": outputs if read else []}}, "cells": cells}


def bit(values, nets):
    """Value of a pin; what is no net is 1, which nothing may depend on but a pass that is wrong."""
    return values[nets[0]] if isinstance(nets[0], int) else int(nets[0] != "0")


def evaluate(module, a, b):
    """Values of all nets, by the definition of the cells (prjtrellis)."""
    values = {A + i: a >> i & 1 for i in range(DIGITS)} | {B + i: b >> i & 1 for i in range(DIGITS)}
    for name in sorted(module["cells"]):
        cell = module["cells"][name]
        nets, parameters = cell["connections"], cell["parameters"]
        if cell["type"] == "LUT4":
            place = sum(bit(values, nets[pin]) << i for i, pin in enumerate("ABCD"))
            values[nets["Z"][0]] = int(parameters["INIT"], 2) >> place & 1
            continue
        carry = bit(values, nets["CIN"])
        for half in (0, 1):
            inputs = [bit(values, nets[f"{pin}{half}"]) for pin in "ABCD"]
            table = int(parameters[f"INIT{half}"], 2)
            four = table >> sum(x << i for i, x in enumerate(inputs)) & 1
            two = table >> (inputs[0] + 2 * inputs[1]) & 1
            values[nets[f"S{half}"][0]] = four ^ carry
            carry = carry if four else two
        values[nets["COUT"][0]] = carry
    return values


@pytest.mark.parametrize("carry_in, subtracts", list(product("01", repeat=2)))
def test_sums_and_carry_stay(carry_in, subtracts):
    before = chain(carry_in, subtracts)
    after = copy.deepcopy(before)
    assert shorten(after) == (1, 0)
    assert after["cells"]["c0"]["connections"]["CIN"] == ["x"]
    for a, b in product(range(1 << DIGITS), repeat=2):
        was, found = evaluate(before, a, b), evaluate(after, a, b)
        other = b ^ 15 if subtracts == "1" else b
        total = a + other + int(carry_in)
        assert sum(was[net] << i for i, net in enumerate([*range(SUM, SUM + DIGITS), COUT])) == total
        assert all(found[net] == was[net] for net in (*range(SUM, SUM + DIGITS), COUT))


def test_a_sum_that_nobody_reads_needs_no_lut():
    module = chain("0", "0")
    module["ports"]["q"]["bits"].remove(SUM)
    assert shorten(module) == (1, 0)
    assert {cell["type"] for cell in module["cells"].values()} == {"CCU2C"}


def test_a_carry_that_nobody_reads_is_no_net():
    module = chain("1", "1", read=False)
    assert shorten(module) == (1, 1)
    assert module["cells"]["c2"]["connections"]["COUT"] == ["x"]


def test_a_carry_from_elsewhere_stays():
    module = chain(99, "0")
    before = copy.deepcopy(module)
    assert shorten(module) == (0, 0) and module == before
