# SPDX-License-Identifier: Apache-2.0
# pyright: reportOperatorIssue=false
# Migen collects statements with +=, which has no types.
"""A link end for LiteX: streams with LiteEth's layout, registers on the SoC's bus, an interrupt, and the registers' names in what LiteX exports.

LiteX knows beats by `last` and `last_be`, of which one bit names the last byte, AXI4-Stream by `tlast` and `tkeep`, which has a bit for
each byte. `error` has a bit for each byte, `tuser` is one.
"""

from arqlink.errors import UserError
from arqlink.rtl import registers

try:
    from litex.gen import LiteXModule
    from litex.soc.integration.soc import SoCCSRRegion, SoCRegion
    from litex.soc.interconnect import axi, stream
    from litex.soc.interconnect.csr import CSRField, CSRStatus, CSRStorage
    from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
    from migen import Cat, ClockSignal, If, Instance, Mux, Replicate, Signal
except ImportError:
    raise UserError("This needs LiteX, which is not installed; run 'pip install arqlink[litex]'.") from None

WINDOW_BYTES = 4096
RESET_CLOCKS = 16
"""How long the reset of a link end has to be; that of a SoC may be one clock."""


def layout(width):
    """The streams' layout, as LiteEth has it, for `width` bytes a beat."""
    return stream.EndpointDescription([("data", 8 * width), ("last_be", width), ("error", width)])


class Beat(LiteXModule):
    """What AXI4-Stream says of a beat that LiteX sends: `keep`, and in `error` whether one of these bytes is in error. A last beat whose
    `last_be` is 0 is full, as from blocks that do not use it. `erased`: a unit with this beat is bad, by an error or a length that is no unit's."""

    def __init__(self, endpoint):
        width = len(endpoint.last_be)
        self.keep = Signal(width)
        self.error = Signal()
        self.erased = Signal()
        up_to_last = Cat(*(endpoint.last_be[byte:] != 0 for byte in range(width)))
        self.comb += self.keep.eq(Mux(endpoint.last & (endpoint.last_be != 0), up_to_last, 2**width - 1))
        self.comb += self.error.eq((endpoint.error & self.keep) != 0)
        self.comb += self.erased.eq(self.error | ~self.keep[-1])


class Marks(LiteXModule):
    """What LiteX says of a beat of AXI4-Stream: sets `first`, `last_be`, and from `user` `error`, both in the last byte."""

    def __init__(self, endpoint):
        width = len(endpoint.last_be)
        self.keep = Signal(width)
        self.user = Signal()
        begins = Signal(reset=1)
        self.sync += If(endpoint.valid & endpoint.ready, begins.eq(endpoint.last))
        self.comb += [
            endpoint.first.eq(begins),
            endpoint.last_be.eq(self.keep & ~(self.keep >> 1) & Replicate(endpoint.last, width)),
            endpoint.error.eq(endpoint.last_be & Replicate(self.user, width)),
        ]


class LongReset(LiteXModule):
    """`done` is low from a reset on for RESET_CLOCKS clocks more."""

    def __init__(self):
        self.done = Signal()
        passed = Signal(RESET_CLOCKS)
        self.sync += Cat(passed, self.done).eq(Cat(1, passed))


def slave(name, endpoint, **more):
    """Ports of an AXI4-Stream slave that takes from `endpoint`; `more` are inputs."""
    ports = {"i_{}_tvalid": endpoint.valid, "o_{}_tready": endpoint.ready, "i_{}_tdata": endpoint.data, "i_{}_tlast": endpoint.last}
    return {port.format(name): signal for port, signal in ports.items()} | {f"i_{name}_{port}": signal for port, signal in more.items()}


def master(name, endpoint, **more):
    """Ports of an AXI4-Stream master that gives to `endpoint`; `more` are outputs."""
    ports = {"o_{}_tvalid": endpoint.valid, "i_{}_tready": endpoint.ready, "o_{}_tdata": endpoint.data, "o_{}_tlast": endpoint.last}
    return {port.format(name): signal for port, signal in ports.items()} | {f"o_{name}_{port}": signal for port, signal in more.items()}


def axi_lite(bus):
    """Ports of the registers' slave."""
    ports = {}
    for channel in ("aw", "w", "ar", "b", "r"):
        there, back = ("o", "i") if channel in ("b", "r") else ("i", "o")
        endpoint = getattr(bus, channel)
        ports[f"{there}_s_axil_{channel}valid"] = endpoint.valid
        ports[f"{back}_s_axil_{channel}ready"] = endpoint.ready
        for field, _ in endpoint.description.payload_layout:
            ports[f"{there}_s_axil_{channel}{field}"] = getattr(endpoint, field)
    for channel in ("aw", "ar"):
        ports[f"i_s_axil_{channel}addr"] = getattr(bus, channel).addr[: (WINDOW_BYTES - 1).bit_length()]
    return ports


class ArqLink(LiteXModule):
    """A link end in clock domain "sys"; `module` as arqlink.integration.module has it, from generate() or read().

    sink         packets to send; an `error` drops the packet
    source       packets received; an `error`, which comes with `last`: cut by a restart of the link, to be dropped
    phy_source   units to the PHY, one per `last`, of full beats
    phy_sink     units from the PHY, one per `last`; with an `error`, or a last beat that is not full, the unit counts as erased; always ready
    phy_up       carrier; high where nothing drives it
    bus          registers, AXI4-Lite, 4 KiB
    ev           `link`: a bit of ERROR is set that IRQ_ENABLE enables
    """

    def __init__(self, platform, module):
        if module.block != "ArqLink":
            raise UserError(f"{module.name} is {module.block}; LiteX takes an ArqLink.")
        width = module.parameters["data_bytes"]
        self.sink = stream.Endpoint(layout(width))
        self.source = stream.Endpoint(layout(width))
        self.phy_source = stream.Endpoint(layout(width))
        self.phy_sink = stream.Endpoint(layout(width))
        self.phy_up = Signal(reset=1)
        self.bus = axi.AXILiteInterface()
        self.ev = EventManager()
        self.ev.link = EventSourceLevel(description="An enabled bit of ERROR is set")
        self.ev.finalize()

        self.reset = LongReset()
        self.packet, self.unit = Beat(self.sink), Beat(self.phy_sink)
        self.packet_marks, self.unit_marks = Marks(self.source), Marks(self.phy_source)
        self.comb += self.unit_marks.keep.eq(2**width - 1)
        self.specials += Instance(
            module.name,
            i_aclk=ClockSignal(),
            i_aresetn=self.reset.done,
            i_phy_up=self.phy_up,
            o_irq=self.ev.link.trigger,
            **slave("s_axis", self.sink, tkeep=self.packet.keep, tuser=self.packet.error),
            **master("m_axis", self.source, tkeep=self.packet_marks.keep, tuser=self.packet_marks.user),
            **slave("s_axis_phy", self.phy_sink, tuser=self.unit.erased),
            **master("m_axis_phy", self.phy_source, tuser=self.unit_marks.user),
            **axi_lite(self.bus),
        )
        for source in module.sources:
            platform.add_source(str(source))


def named_registers():
    """LiteX's descriptions of the registers, one for each word from the first on."""
    known = {register.offset: (name.lower(), register) for name, register in registers.contract().ARQLINK.items()}
    for offset in range(0, max(known) + 4, 4):
        name, register = known.get(offset, (f"reserved_{offset:02x}", None))
        if register is None:
            yield CSRStatus(32, name=name)
            continue
        fields = [CSRField(field, f.width, f.shift, f.reset or 0, f.doc) for field, f in register.fields.items()]
        read_only = all(f.access == "RO" for f in register.fields.values())
        yield (CSRStatus if read_only else CSRStorage)(fields=fields, name=name, description=register.doc)


def named_counters():
    """The same of the counters' snapshot, whose low words come first."""
    for name, counter in registers.contract().COUNTERS.items():
        for half in ("low", "high"):
            yield CSRStatus(32, name=f"{name}_{half}", description=f"{counter.doc}; {half} word")


class Names(LiteXModule):
    """Registers and counters in a SoC's csr.h, csr.json and csr.csv, as region `name`_regs and `name`_counters.

    They are added when the modules of a SoC are finalized: before, LiteX sorts its regions by address, and takes the first for the base of all.
    """

    def __init__(self, soc, name):
        base = soc.bus.regions[name].origin
        first = min(counter.offset for counter in registers.contract().COUNTERS.values())
        self.regions = {f"{name}_regs": (base, named_registers), f"{name}_counters": (base + first, named_counters)}
        self.export = soc.csr.add_region

    def do_finalize(self):
        for name, (origin, words) in self.regions.items():
            self.export(name, SoCCSRRegion(origin=origin, busword=32, obj=list(words())))


def add_arqlink(soc, name, module, origin=None):
    """Puts a link end into a SoC as `soc.NAME`, its registers on the bus, at `origin` or where there is room, and its interrupt to the CPU if
    there is one; returns it."""
    link = ArqLink(soc.platform, module)
    soc.add_module(name, link)
    soc.bus.add_slave(name, link.bus, SoCRegion(origin=origin, size=WINDOW_BYTES, cached=False))
    soc.add_module(f"{name}_names", Names(soc, name))
    if soc.irq.enabled:
        soc.irq.add(name, use_loc_if_exists=True)
    return link
