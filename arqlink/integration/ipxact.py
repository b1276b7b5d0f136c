# SPDX-License-Identifier: Apache-2.0
"""IP-XACT (IEEE 1685-2009, the edition that AMD's Vivado reads): a component with its buses, clocks, registers and files."""

from xml.etree import ElementTree

from arqlink.rtl import registers

SPIRIT = "http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009"
VENDOR, LIBRARY = "arqlink", "link"
KINDS = {"axi4-stream": "axis", "axi4-lite": "aximm"}
"""AMD's names of the buses, in xilinx.com:interface."""
ACCESS = {
    "RW": ("read-write", None),
    "RO": ("read-only", None),
    "W1C": ("read-write", "oneToClear"),
    "W1P": ("write-only", None),
}
"""`access` and `modifiedWriteValue` of a field."""


def node(parent, tag, content=None, **attributes):
    """A new element below `parent`, with text or without."""
    made = ElementTree.SubElement(parent, f"{{{SPIRIT}}}{tag}", {f"{{{SPIRIT}}}{key}": value for key, value in attributes.items()})
    if content is not None:
        made.text = str(content)
    return made


def identity(parent, module):
    major, minor, _ = module.version.split(".")
    for tag, content in (("vendor", VENDOR), ("library", LIBRARY), ("name", module.name), ("version", f"{major}.{minor}")):
        node(parent, tag, content)


def port_maps(parent, signals):
    """`signals`: port by the bus's name of it."""
    maps = node(parent, "portMaps")
    for logical, physical in signals.items():
        pair = node(maps, "portMap")
        node(node(pair, "logicalPort"), "name", logical)
        node(node(pair, "physicalPort"), "name", physical)


def bus_interface(parent, name, library, kind, mode, signals, parameters=(), memory_map=None):
    """One bus, or a clock, reset or interrupt, which AMD calls buses too."""
    bus = node(parent, "busInterface")
    node(bus, "name", name)
    for tag, suffix in (("busType", ""), ("abstractionType", "_rtl")):
        node(bus, tag, vendor="xilinx.com", library=library, name=f"{kind}{suffix}", version="1.0")
    ways = node(bus, mode)
    if memory_map:
        node(ways, "memoryMapRef", memoryMapRef=memory_map)
    port_maps(bus, signals)
    if parameters:
        values = node(bus, "parameters")
        for key, value in parameters:
            parameter = node(values, "parameter")
            node(parameter, "name", key)
            node(parameter, "value", value)


def buses(parent, module):
    every = node(parent, "busInterfaces")
    for bus in module.buses:
        memory_map = bus.name if has_registers(bus, module) else None
        bus_interface(every, bus.name, "interface", KINDS[bus.kind], bus.mode, bus.signals, memory_map=memory_map)
    for clock, reset in module.resets.items():
        belongs = [("ASSOCIATED_BUSIF", ":".join(bus.name for bus in module.of(clock))), ("ASSOCIATED_RESET", reset)]
        bus_interface(every, clock, "signal", "clock", "slave", {"CLK": clock}, belongs)
        bus_interface(every, reset, "signal", "reset", "slave", {"RST": reset}, [("POLARITY", "ACTIVE_LOW")])
    for port in module.single():
        if port.name.endswith("irq"):
            bus_interface(every, port.name, "signal", "interrupt", "master", {"INTERRUPT": port.name}, [("SENSITIVITY", "LEVEL_HIGH")])


def has_registers(bus, module):
    """Whether a bus leads to the registers of a link end."""
    return bus.kind == "axi4-lite" and bus.mode == "slave" and module.block.startswith("ArqLink")


def register(block, name, offset, bits, text):
    made = node(block, "register")
    node(made, "name", name)
    node(made, "description", text)
    node(made, "addressOffset", f"0x{offset:X}")
    node(made, "size", bits)
    return made


def memory_maps(parent, module):
    """The registers and counters of a link end."""
    of_links = [bus for bus in module.buses if has_registers(bus, module)]
    if not of_links:
        return
    contract, maps = registers.contract(), node(parent, "memoryMaps")
    for bus in of_links:
        memory_map = node(maps, "memoryMap")
        node(memory_map, "name", bus.name)
        block = node(memory_map, "addressBlock")
        for tag, content in (("name", "registers"), ("baseAddress", 0), ("range", 4096), ("width", 32), ("usage", "register")):
            node(block, tag, content)
        for name, entry in contract.ARQLINK.items():
            made = register(block, name, entry.offset, 32, entry.doc)
            for field, f in entry.fields.items():
                access, modified = ACCESS[f.access]
                bits = node(made, "field")
                node(bits, "name", field)
                node(bits, "description", f.doc)
                node(bits, "bitOffset", f.shift)
                node(bits, "bitWidth", f.width)
                node(bits, "access", access)
                if modified:
                    node(bits, "modifiedWriteValue", modified)
        for name, counter in contract.COUNTERS.items():
            for word, half in enumerate(("low", "high")):
                node(register(block, f"{name}_{half}", counter.offset + 4 * word, 32, f"{counter.doc}; {half} word"), "access", "read-only")


def model(parent, module):
    made = node(parent, "model")
    views = node(made, "views")
    for name, purpose in (("xilinx_anylanguagesynthesis", "synthesis"), ("xilinx_anylanguagebehavioralsimulation", "simulation")):
        view = node(views, "view")
        node(view, "name", name)
        node(view, "envIdentifier", f":vivado.xilinx.com:{purpose}")
        node(view, "language", "verilog")
        node(view, "modelName", module.name)
        node(node(view, "fileSetRef"), "localName", "rtl")
    ports = node(made, "ports")
    for port in module.ports:
        one = node(ports, "port")
        node(one, "name", port.name)
        wire = node(one, "wire")
        node(wire, "direction", port.direction)
        if port.width > 1:
            vector = node(wire, "vector")
            node(vector, "left", port.width - 1)
            node(vector, "right", 0)


def file_sets(parent, module):
    made = node(node(parent, "fileSets"), "fileSet")
    node(made, "name", "rtl")
    for source in module.sources:
        file = node(made, "file")
        node(file, "name", source.name)
        node(file, "fileType", "verilogSource")


def text(module):
    """component.xml of a module; its sources lie beside it."""
    ElementTree.register_namespace("spirit", SPIRIT)
    root = ElementTree.Element(f"{{{SPIRIT}}}component")
    identity(root, module)
    buses(root, module)
    memory_maps(root, module)
    model(root, module)
    file_sets(root, module)
    node(root, "description", f"arqlink {module.version}: {module.block}, configuration {module.configuration}")
    ElementTree.indent(root)
    return "<?xml version='1.0' encoding='utf-8'?>\n" + ElementTree.tostring(root, encoding="unicode") + "\n"
