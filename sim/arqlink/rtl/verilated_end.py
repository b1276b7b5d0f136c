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


def library(config, settings=(), waves=False):
    """The library of `ArqLink` in configuration `config` with `settings` ("name=value"); builds it where necessary. With `waves` it can write
    FST. It stops where an invariant does not hold, which costs no time that can be measured."""
    source = verilog.generate("ArqLink", config, settings)
    name = tree.file_name("-".join([config, *settings, *["waves"] * waves]))
    folder = tree.BUILD / "ends" / name
    output = folder / f"libend_{name}.so"
    with tree.locked(f"end-{name}"):
        changed = max(os.stat(__file__).st_mtime, tree.newest(SOURCES, "*.*"))
        if tree.is_stale(output, source.stat().st_mtime, changed, verilator.CHANGED):
            prefix = f"VArqLink_{''.join(c if c.isalnum() else '_' for c in name)}"
            model = verilator.verilate([source], folder, prefix, ["--assert"], options=HIDDEN, waves=waves, changed=changed)
            options = ["-O2", f"-I{SOURCES}", f"-DMODEL={prefix}", f'-DMODEL_HEADER="{prefix}.h"']
            model.link([MODEL], output, options, LINK)
    return output
