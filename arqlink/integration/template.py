# SPDX-License-Identifier: Apache-2.0
"""An instance of a module to copy: wires with the names of the ports, and the instance that connects them."""


def _range(width):
    return f" [{width - 1}:0]" if width > 1 else ""


def text(module):
    """Verilog."""
    declared = "".join(f"wire{_range(port.width)} {port.name};\n" for port in module.ports)
    wide = max(len(port.name) for port in module.ports)
    connected = ",\n".join(f"    .{port.name:{wide}} ({port.name})" for port in module.ports)
    title = f"// An instance of {module.name} (arqlink {module.version}, {module.block}) to copy.\n"
    return f"{title}{declared}\n{module.name} {module.name}_i (\n{connected}\n);\n"
