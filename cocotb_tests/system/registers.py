# SPDX-License-Identifier: Apache-2.0
"""The pair's registers by name, through AXI4-Lite; names and offsets come from the committed contract rtl/regs."""

import importlib.util
from pathlib import Path

from cocotbext.axi import AxiLiteBus, AxiLiteMaster

CONTRACT = Path(__file__).resolve().parents[2] / "rtl" / "regs" / "arqlink_regs.py"
LINK_A, LINK_B, CHANNEL_AB, CHANNEL_BA = 0x0000, 0x1000, 0x2000, 0x3000
PROBABILITY_ONE = 0xFFFFFFFF


def contract():
    """The module generated from the register description."""
    spec = importlib.util.spec_from_file_location("arqlink_regs", CONTRACT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Registers:
    """Reads and writes whole registers; an error response raises IOError."""

    def __init__(self, dut):
        self.names = contract()
        self.bus = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.aclk, dut.aresetn, reset_active_level=False)

    async def write(self, address, value):
        response = await self.bus.write(address, value.to_bytes(4, "little"))
        if response.resp:
            raise OSError(f"write to 0x{address:04x} answered {response.resp!r}")

    async def read(self, address):
        response = await self.bus.read(address, 4)
        if response.resp:
            raise OSError(f"read of 0x{address:04x} answered {response.resp!r}")
        return int.from_bytes(response.data, "little")

    async def link(self, base, name, value):
        """Writes register `name` of the link end at `base`."""
        await self.write(base + self.names.ARQLINK[name].offset, value)

    async def channel(self, base, name, value):
        """Writes register `name` of the channel at `base`."""
        await self.write(base + self.names.ARQCHAN[name].offset, value)

    async def apply(self, base, setting, in_order=True, freeze=True):
        """Makes a Setting active."""
        code = setting.k | setting.n_first << 8 | setting.n_retx << 16 | setting.preset << 24
        await self.link(base, "CODE", code)
        await self.link(base, "ARQ", setting.delta | in_order << 8 | freeze << 9)
        await self.link(base, "APPLY", 1)

    async def error(self, base, name):
        """A sticky bit of ERROR, which is then cleared."""
        field = self.names.ARQLINK["ERROR"].fields[name]
        address = base + self.names.ARQLINK["ERROR"].offset
        bit = await self.read(address) >> field.shift & 1
        await self.write(address, bit << field.shift)
        return bool(bit)

    async def state(self, base):
        """STATUS.state of a link end."""
        return await self.read(base + self.names.ARQLINK["STATUS"].offset) & 7

    async def counters(self, base, clear=False):
        """All counters of the link end at `base`, of one clock."""
        control = base + self.names.ARQLINK["COUNTERS"].offset
        await self.write(control, 1 | clear << 1)
        while await self.read(control) & 4:
            pass
        values = {}
        for name, counter in self.names.COUNTERS.items():
            low = await self.read(base + counter.offset)
            values[name] = low | await self.read(base + counter.offset + 4) << 32
        return values
