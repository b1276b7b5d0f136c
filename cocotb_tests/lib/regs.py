# SPDX-License-Identifier: Apache-2.0
"""Access to registers by the names of the generated rtl/regs/arqlink_regs.py."""

import importlib.util
from pathlib import Path

from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

_path = Path(__file__).resolve().parents[2] / "rtl" / "regs" / "arqlink_regs.py"
_spec = importlib.util.spec_from_file_location("arqlink_regs", _path)
regs = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(regs)


class Registers:
    """Registers of one slave: `map` is one of regs.ARQLINK, ARQCHAN, ARQTRAF; `base` its byte address."""

    def __init__(self, master, map, base=0):
        self.master, self.map, self.base = master, map, base

    async def read_at(self, offset):
        """Reads a word; returns (value, response was OKAY)."""
        answer = await self.master.read(self.base + offset, 4)
        return int.from_bytes(answer.data, "little"), answer.resp == AxiResp.OKAY

    async def write_at(self, offset, value, size=4):
        """Writes `size` bytes; returns whether the response was OKAY."""
        answer = await self.master.write(self.base + offset, value.to_bytes(size, "little"))
        return answer.resp == AxiResp.OKAY

    async def read(self, name, field=None):
        """Value of a register, or of one of its fields; an error response fails."""
        value, okay = await self.read_at(self.map[name].offset)
        assert okay, f"read of {name} failed"
        if field is None:
            return value
        f = self.map[name].fields[field]
        return (value >> f.shift) & ((1 << f.width) - 1)

    async def write(self, name, value=None, **fields):
        """Writes a whole register, or the named fields with all others 0; an error response fails."""
        assert await self.write_at(self.map[name].offset, self.compose(name, **fields) if value is None else value), name

    def compose(self, name, **fields):
        value = 0
        for field, content in fields.items():
            value |= int(content) << self.map[name].fields[field].shift
        return value


def master(dut, prefix="s_axil"):
    return AxiLiteMaster(AxiLiteBus.from_prefix(dut, prefix), dut.aclk, dut.aresetn, reset_active_level=False)
