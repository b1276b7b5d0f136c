# SPDX-License-Identifier: Apache-2.0
"""A component of Intel's (Altera's) Platform Designer: NAME_hw.tcl."""

HEAD = """\
# {name} for Platform Designer: put this folder into its search path.
package require -exact qsys 16.1

set_module_property NAME {name}
set_module_property DISPLAY_NAME "arqlink {configuration}"
set_module_property DESCRIPTION "Hybrid FEC/ARQ link layer, configuration {configuration}"
set_module_property VERSION {version}
set_module_property GROUP "Interface Protocols"
set_module_property EDITABLE false

"""
KINDS = {"axi4-stream": "axi4stream", "axi4-lite": "axi4lite"}
WAYS = {"in": "Input", "out": "Output"}


def interface(name, kind, end, ports, properties):
    """`ports`: role and port."""
    lines = [f"add_interface {name} {kind} {end}"]
    lines += [f"set_interface_property {name} {key} {value}" for key, value in properties.items()]
    lines += [f"add_interface_port {name} {port.name} {role} {WAYS[port.direction]} {port.width}" for role, port in ports]
    return "\n".join(lines) + "\n\n"


def text(module):
    parts = [HEAD.format(name=module.name, configuration=module.configuration, version=module.version)]
    for purpose in ("QUARTUS_SYNTH", "SIM_VERILOG"):
        parts.append(f'add_fileset {purpose.lower()} {purpose} "" ""\n')
        parts.append(f"set_fileset_property {purpose.lower()} TOP_LEVEL {module.name}\n")
        parts += [f"add_fileset_file {source.name} VERILOG PATH {source.name}\n" for source in module.sources]
    parts.append("\n")
    ports = {port.name: port for port in module.ports}
    for clock, reset in module.resets.items():
        parts.append(interface(clock, "clock", "end", [("clk", ports[clock])], {}))
        parts.append(interface(reset, "reset", "end", [("reset_n", ports[reset])], {"associatedClock": clock, "synchronousEdges": "BOTH"}))
    for bus in module.buses:
        end = "end" if bus.mode == "slave" else "start"
        signals = [(signal.lower(), ports[port]) for signal, port in bus.signals.items()]
        properties = {"associatedClock": bus.clock, "associatedReset": module.resets[bus.clock]}
        parts.append(interface(bus.name, KINDS[bus.kind], end, signals, properties))
    clock, reset = next(iter(module.resets.items()))
    for port in module.single():
        if port.name.endswith("irq"):
            parts.append(interface(port.name, "interrupt", "end", [("irq", port)], {"associatedClock": clock, "associatedReset": reset}))
        else:
            parts.append(interface(port.name, "conduit", "end", [(port.name, port)], {}))
    return "".join(parts)
