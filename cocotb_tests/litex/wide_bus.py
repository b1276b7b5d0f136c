# SPDX-License-Identifier: Apache-2.0
# pyright: reportOperatorIssue=false, reportArgumentType=false
# Migen collects statements with +=, which has no types.
"""A LiteX SoC whose bus has 64 bits, with a link end that hears itself; a bus master of 32 bits at pins is in place of a CPU."""

import contextlib
import re
from pathlib import Path

from litex.build.generic_platform import Pins
from litex.build.io import CRG
from litex.build.sim import SimPlatform
from litex.soc.integration.soc_core import SoCCore
from litex.soc.interconnect import axi, wishbone

from arqlink.integration.litex import add_arqlink
from arqlink.integration.module import generate

BASE = 0x10000
STANDARDS = {"wishbone": lambda: wishbone.Interface(data_width=32), "axi-lite": lambda: axi.AXILiteInterface(data_width=32)}


def module(standard):
    return f"wide_{standard.replace('-', '_')}"


def forget_date(path):
    """What LiteX writes says when it did: without that, what is built of it is the same again."""
    path.write_text(re.sub(r"(?m)^// .*(Date |sha1 |LiteX on ).*$", "//", path.read_text()))


class WideBus(SoCCore):
    def __init__(self, standard):
        master = STANDARDS[standard]()
        pads = master.get_ios("bus")
        platform = SimPlatform("SIM", [("sys_clk", 0, Pins(1)), ("sys_rst", 0, Pins(1)), *pads], name=module(standard))
        SoCCore.__init__(self, platform, clk_freq=int(100e6), cpu_type=None, bus_standard=standard, bus_data_width=64, with_uart=False, with_timer=False)
        self.crg = CRG(platform.request("sys_clk"), platform.request("sys_rst"))
        self.comb += master.connect_to_pads(platform.request("bus"), mode="slave")
        self.bus.add_master("pins", master)
        link = add_arqlink(self, "link", generate("ArqLink", "tiny"), BASE)
        self.comb += link.phy_source.connect(link.phy_sink)


def build(standard, folder):
    """Writes the SoC's Verilog to `folder`; returns the Verilog files, its own first."""
    folder.mkdir(parents=True, exist_ok=True)
    soc = WideBus(standard)
    soc.finalize()
    name = module(standard)
    with contextlib.chdir(folder):
        soc.platform.get_verilog(soc, name=name).write(f"{name}.v")
    forget_date(folder / f"{name}.v")
    return [folder / f"{name}.v", *(Path(source[0]) for source in soc.platform.sources)]
