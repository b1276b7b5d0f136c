# SPDX-License-Identifier: Apache-2.0
# pyright: reportOperatorIssue=false, reportArgumentType=false
# Migen collects statements with +=, which has no types.
"""A LiteX SoC with a CPU and two link ends of different builds, whose PHYs are connected. `python examples/litex/soc.py` writes it to build/litex."""

import contextlib
import logging
import subprocess
import sys
from pathlib import Path

from litex.build.generic_platform import Pins, Subsignal
from litex.build.io import CRG
from litex.build.sim import SimPlatform
from litex.gen import LiteXModule
from litex.soc.integration import export
from litex.soc.integration.common import get_mem_data
from litex.soc.integration.soc_core import SoCCore
from litex.soc.interconnect import stream
from litex.soc.interconnect.csr import CSRStorage
from migen import If, Replicate, Signal

from arqlink import tree
from arqlink.errors import UserError
from arqlink.integration.litex import add_arqlink, layout
from arqlink.integration.module import generate
from arqlink.rtl import tools

NAME = "arqlink_soc"
FIRMWARE = Path(__file__).resolve().parent / "firmware"
SETTINGS = "unitBytes=16 windowFrames=64 maxPacketBytes=512 maxK=4 maxParity=2 k=4 nFirst=5 nRetx=5".split()
"""End A is `default`, four bytes wide, with units as short as those of end B, which is `tiny`, a byte wide."""


def pins(width):
    """A stream of `layout(width)` at pins of the SoC."""
    signals = {"valid": 1, "ready": 1, "first": 1, "last": 1, "data": 8 * width, "last_be": width, "error": width}
    return [Subsignal(name, Pins(bits)) for name, bits in signals.items()]


def pads(widths):
    serial = [Subsignal(f"{way}_{name}", Pins(bits)) for way in ("source", "sink") for name, bits in (("valid", 1), ("ready", 1), ("data", 8))]
    streams = [(f"{end}_{way}", 0, *pins(width)) for end, width in widths.items() for way in ("sink", "source")]
    return [("sys_clk", 0, Pins(1)), ("sys_rst", 0, Pins(1)), ("serial", 0, *serial), *streams]


class Line(LiteXModule):
    """Carries units from one end to the other, whose width may be another, and marks one of each `period` as bad; none if it is 0."""

    def __init__(self, width_from, width_to):
        self.period = CSRStorage(8, description="One of so many units is erased; 0: none")
        self.converter = stream.StrideConverter(layout(width_from), layout(width_to))
        self.sink = self.converter.sink
        self.source = stream.Endpoint(layout(width_to))
        bad = Signal()
        count = Signal(8)
        self.comb += [
            self.converter.source.connect(self.source, omit={"error"}),
            bad.eq((self.period.storage != 0) & (count == 0)),
            self.source.error.eq(self.converter.source.error | Replicate(bad, width_to)),
        ]
        self.sync += If(
            self.source.valid & self.source.ready & self.source.last,
            If(count + 1 >= self.period.storage, count.eq(0)).Else(count.eq(count + 1)),
        )


class Example(SoCCore):
    """The streams of both ends are pins, the UART is bytes with valid and ready, as in litex_sim."""

    def __init__(self):
        modules = {"a": generate("ArqLink", "default", SETTINGS), "b": generate("ArqLink", "tiny")}
        widths = {end: module.parameters["data_bytes"] for end, module in modules.items()}
        platform = SimPlatform("SIM", pads(widths), name=NAME)
        SoCCore.__init__(
            self,
            platform,
            clk_freq=int(100e6),
            cpu_type="vexriscv",
            cpu_variant="lite",
            integrated_rom_size=0x4000,
            integrated_sram_size=0x1000,
            uart_name="sim",
        )
        self.crg = CRG(platform.request("sys_clk"), platform.request("sys_rst"))
        a, b = (add_arqlink(self, f"link_{end}", module) for end, module in modules.items())
        self.line_ab = Line(widths["a"], widths["b"])
        self.line_ba = Line(widths["b"], widths["a"])
        for start, line, end in ((a, self.line_ab, b), (b, self.line_ba, a)):
            self.comb += [start.phy_source.connect(line.sink), line.source.connect(end.phy_sink)]
        for end, link in (("a", a), ("b", b)):
            self.comb += connected(platform.request(f"{end}_sink"), link.sink)
            self.comb += connected(platform.request(f"{end}_source"), link.source, outwards=True)


def connected(pads, endpoint, outwards=False):
    """Assignments that join a stream and its pins."""
    forward = ["valid", "first", "last", "data", "last_be", "error"]
    pairs = [(getattr(pads, name), getattr(endpoint, name)) for name in forward]
    pairs = [(left, right) if outwards else (right, left) for left, right in pairs]
    return [left.eq(right) for left, right in [*pairs, (endpoint.ready, pads.ready) if outwards else (pads.ready, endpoint.ready)]]


def headers(soc, folder):
    """What the firmware includes: addresses, registers, constants, memories."""
    generated = folder / "generated"
    generated.mkdir(parents=True, exist_ok=True)
    base = soc.mem_regions["csr"].origin
    (generated / "csr.h").write_text(export.get_csr_header(soc.csr_regions, soc.constants, csr_base=base))
    (generated / "mem.h").write_text(export.get_mem_header(soc.mem_regions))
    (generated / "soc.h").write_text(export.get_soc_header(soc.constants))
    (generated / "regions.ld").write_text(export.get_linker_regions(soc.mem_regions))
    (folder / "csr.json").write_text(export.get_csr_json(soc.csr_regions, soc.constants, soc.mem_regions))


def firmware(soc, folder):
    """Compiles the firmware against the headers in `folder`; returns the words of the ROM."""
    tools.need("make", "riscv64-unknown-elf-gcc")
    cpu = [f"{name}={value}" for name, value in export.get_cpu_mak(soc.cpu, True)]
    done = subprocess.run(["make", "-C", FIRMWARE, f"OUT={folder}", *cpu], check=False, capture_output=True, text=True)
    if done.returncode:
        raise UserError(f"The firmware cannot be built:\n{done.stdout}{done.stderr}")
    return get_mem_data(str(folder / "firmware.bin"), data_width=32, endianness="little")


def build(folder):
    """Writes the SoC's Verilog, its ROM's content, headers, firmware and csr.json to `folder`; returns the Verilog files, its own first."""
    folder.mkdir(parents=True, exist_ok=True)
    soc = Example()
    soc.finalize()
    headers(soc, folder)
    soc.init_rom("rom", firmware(soc, folder), auto_size=False)
    with contextlib.chdir(folder):  # where LiteX writes the contents of memories
        soc.platform.get_verilog(soc, name=NAME).write(f"{NAME}.v")
    return [folder / f"{NAME}.v", *(Path(source[0]) for source in soc.platform.sources)]


def main():
    logging.basicConfig(level=logging.WARNING)
    try:
        for source in build(tree.BUILD / "litex"):
            print(source)
    except UserError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
