# SPDX-License-Identifier: Apache-2.0
"""Which ports must have a value, and when."""

import os
import re
from pathlib import Path

import cocotb
from cocotb.triggers import FallingEdge

from cocotb_tests.lib.regs import Registers, regs

PAYLOAD = re.compile(r"(\w+_)(t(?=data|keep|last|user)|r(?=data|resp)|b(?=resp))\w+")


def ports(dut, way):
    """Names of the inputs or outputs of a block, from its Verilog."""
    text = Path(os.environ["ARQLINK_VERILOG"]).read_text()
    (header,) = re.findall(rf"^module {dut._name} \((.*?)^\);", text, re.MULTILINE | re.DOTALL)
    return re.findall(rf"^  {way}\s.*?(\w+),?$", header, re.MULTILINE)


def valid_of(port):
    """The `valid` that goes with a payload; None for all other ports."""
    payload = PAYLOAD.fullmatch(port)
    return payload and payload[1] + payload[2] + "valid"


async def watch(dut, clock):
    """Fails when an output has no value at a falling edge of `clock`: a payload while its `valid` is high, all others always."""
    outputs = [(getattr(dut, port), getattr(dut, valid) if (valid := valid_of(port)) else None) for port in ports(dut, "output")]
    while True:
        await FallingEdge(clock)
        for port, valid in outputs:
            assert port.value.is_resolvable or (valid is not None and valid.value == 0), f"{port._name} is {port.value}"


def quiet(dut):
    """All inputs at 0, and so in reset."""
    for port in ports(dut, "input"):
        getattr(dut, port).value = 0


async def read_all(axi, maps):
    """Reads each register and counter, and the hole beside one; `maps` by their base addresses. The last counter comes first: it is written last."""
    for base, names in maps.items():
        slave = Registers(axi, names, base)
        words = {register.offset & ~4 | half for register in names.values() for half in (0, 4)}
        if names is regs.ARQLINK:
            words |= {counter.offset + half for counter in regs.COUNTERS.values() for half in (0, 4)}
        for offset in sorted(words, reverse=True):
            assert (await slave.read_at(offset))[1], hex(base + offset)


def start_watching(dut, *clocks):
    for clock in clocks:
        cocotb.start_soon(watch(dut, clock))
