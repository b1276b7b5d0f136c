# SPDX-License-Identifier: Apache-2.0
"""A Verilated link end as a shared library, of which one program can load several: sim/verilated_end."""

import os

from arqlink import tree
from arqlink.rtl import verilator, verilog

SOURCES = tree.ROOT / "sim" / "verilated_end"
MODEL = SOURCES / "verilated_end.cpp"
HIDDEN = ["-fPIC", "-fvisibility=hidden", "-fno-gnu-unique", "-include", str(SOURCES / "model_output.h")]
"""Each library keeps its model and its copy of Verilator's sources to itself. What models print, and where they stop, goes to
`verilated_end.cpp`."""
LINK = ["-shared", "-Wl,-z,defs", "-Wl,-Bsymbolic"]


def library(config, settings, folder, waves=False, assertions=False):
    """The library of `ArqLink` in configuration `config` with `settings` ("name=value"), in `folder`, whose name is part of its own; builds it
    where necessary. With `waves` it can write FST; with `assertions` it stops where an invariant does not hold."""
    source = verilog.generate("ArqLink", config, settings)
    output = folder / f"libend_{folder.name}.so"
    with tree.locked(f"end-{folder.parent.name}-{folder.name}"):
        changed = max(os.stat(__file__).st_mtime, tree.newest(SOURCES, "*.*"))
        if tree.is_stale(output, source.stat().st_mtime, changed, verilator.CHANGED):
            prefix = f"VArqLink_{''.join(c if c.isalnum() else '_' for c in folder.name)}"
            arguments = ["--assert"] if assertions else []
            model = verilator.verilate([source], folder, prefix, arguments, options=HIDDEN, waves=waves, changed=changed)
            options = ["-O2", f"-I{SOURCES}", f"-DMODEL={prefix}", f'-DMODEL_HEADER="{prefix}.h"']
            model.link([MODEL], output, options, LINK)
    return output
