# SPDX-License-Identifier: Apache-2.0
"""A user's top around modules: all inputs from one port, all outputs to another, so that no tool can take anything away."""


def verilog(modules, name="top"):
    """Verilog of a module `name` with an instance of each of `modules` (arqlink.integration.module.Module)."""
    taken, given, instances = 0, 0, []
    for module in modules:
        pins = []
        for port in module.ports:
            if port.direction == "in":
                pins.append(f".{port.name}(from_pins[{taken} +: {port.width}])")
                taken += port.width
            else:
                pins.append(f".{port.name}(to_pins[{given} +: {port.width}])")
                given += port.width
        instances.append(f"  {module.name} {module.name}_i ({', '.join(pins)});\n")
    ports = f"input wire [{taken - 1}:0] from_pins, output wire [{given - 1}:0] to_pins"
    return f"module {name}({ports});\n{''.join(instances)}endmodule\n"
