# SPDX-License-Identifier: Apache-2.0
"""A Verilated link end as a shared library, of which one program can load several: sim/end."""

from arqlink import tree
from arqlink.rtl import verilator, verilog

SOURCES = tree.ROOT / "sim" / "end"
MODEL = SOURCES / "verilated_end.cpp"
OUTPUT = SOURCES / "model_output.cpp"
"""What each library has beside its model."""
HIDDEN = ["-fPIC", "-fvisibility=hidden", "-fno-gnu-unique", "-include", str(SOURCES / "model_output.h")]
"""Each library keeps its model and its copy of Verilator's sources to itself. What models print, and where they stop, goes to
`model_output.cpp`."""
LINK = ["-shared", "-Wl,-z,defs", "-Wl,-Bsymbolic"]


def library(config, settings=(), waves=False):
    """The library of `ArqLink` in configuration `config` with `settings` ("name=value"); builds it where necessary. With `waves` it can write
    FST. It stops where an invariant does not hold, which costs no time that can be measured."""
    source = verilog.generate("ArqLink", config, settings)
    name = tree.file_name("-".join([config, *settings, *["waves"] * waves]))
    prefix = f"VArqLink_{''.join(c if c.isalnum() else '_' for c in name)}"
    options = [f"-DMODEL={prefix}", f'-DMODEL_HEADER="{prefix}.h"']
    return shared_library([source], tree.BUILD / "ends" / name, f"end_{name}", prefix, MODEL, ["--assert"], options, waves)


def shared_library(sources, folder, name, prefix, wrapper, arguments=(), options=(), waves=False, optimize=None):
    """lib`name`.so in `folder`: the model of Verilog `sources`, the top's first, behind the C++ of `wrapper`, which is compiled with `options`;
    builds it where necessary. `arguments` are for Verilator; `optimize` as for verilator.Model."""
    model = verilator.Model(sources, folder, prefix, arguments, optimize, HIDDEN, waves, [SOURCES / "model_output.h"])
    options = ["-O2", f"-I{wrapper.parent}", f"-I{SOURCES}", *options]
    return model.link([wrapper, OUTPUT], folder / f"lib{name}.so", options, LINK, [SOURCES, wrapper.parent])
