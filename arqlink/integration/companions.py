# SPDX-License-Identifier: Apache-2.0
"""The files beside a module's Verilog: for vendors' tools, and an instance to copy."""

from arqlink.integration import ipxact, quartus, template, vivado


def write(module):
    """Writes them to the module's folder; returns the paths of all of its files there, Verilog and description first."""
    texts = {
        "component.xml": ipxact.text(module),
        "package_ip.tcl": vivado.text(module),
        f"{module.name}_hw.tcl": quartus.text(module),
        f"{module.name}_template.v": template.text(module),
    }
    for name, text in texts.items():
        (module.folder / name).write_text(text, encoding="utf-8")
    return [module.sources[0], module.sources[0].with_suffix(".json"), *(module.folder / name for name in texts)]
