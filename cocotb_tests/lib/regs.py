# SPDX-License-Identifier: Apache-2.0
"""Access to registers over AXI4-Lite, by the names of the generated contract rtl/regs/arqlink_regs.py."""

from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

from arqlink.rtl.registers import contract, value_of

regs = contract()


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
        assert await self.write_at(self.map[name].offset, value_of(self.map[name], **fields) if value is None else value), f"write of {name} failed"


class LinkRegisters(Registers):
    """Those of a link end."""

    def __init__(self, master, base=0):
        super().__init__(master, regs.ARQLINK, base)

    async def apply(self, setting, in_order=True, freeze=True):
        """Makes a Setting active."""
        await self.write("CODE", k=setting.k, n_first=setting.n_first, n_retx=setting.n_retx, preset=setting.preset)
        await self.write("ARQ", delta=setting.delta, ord=in_order, outage_freeze=freeze)
        await self.write("APPLY", apply=1)

    async def state(self):
        return await self.read("STATUS", "state")

    async def error(self, name):
        """A sticky bit of ERROR, which is then cleared."""
        bit = await self.read("ERROR", name)
        await self.write("ERROR", **{name: bit})
        return bool(bit)

    async def counters(self, names=None, clear=False):
        """Counters, all of them or those named, of one clock."""
        await self.write("COUNTERS", snapshot=1, clear=clear)
        while await self.read("COUNTERS", "busy"):
            pass
        values = {}
        for name in names or regs.COUNTERS:
            words = [await self.read_at(regs.COUNTERS[name].offset + i) for i in (0, 4)]
            assert all(okay for _, okay in words), f"read of {name} failed"
            values[name] = words[0][0] | words[1][0] << 32
        return values


def master(dut, prefix="s_axil"):
    return AxiLiteMaster(AxiLiteBus.from_prefix(dut, prefix), dut.aclk, dut.aresetn, reset_active_level=False)
