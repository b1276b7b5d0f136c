# SPDX-License-Identifier: Apache-2.0
"""A module for designs of others, with the description that the generator writes beside its Verilog."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from arqlink import tree
from arqlink.rtl import soc, verilog

PREFIX = "arqlink_"
FOLDER = tree.BUILD / "verilog"


@dataclass(frozen=True)
class Port:
    """`direction`: "in" or "out"; `width` in bits."""

    name: str
    direction: str
    width: int


@dataclass(frozen=True)
class Bus:
    """`kind`: "axi4-stream" or "axi4-lite"; `mode`: "slave" or "master"; `signals`: the module's port of each of the bus's signals, such as TDATA."""

    name: str
    kind: str
    mode: str
    clock: str
    signals: dict


@dataclass(frozen=True)
class Module:
    """A generated module. `resets`: port of the reset of each clock, active low; `parameters`: as built, as in rtl/regs/configs.json."""

    name: str
    version: str
    block: str
    configuration: str
    parameters: dict
    resets: dict
    buses: tuple
    ports: tuple
    sources: tuple
    """Verilog files: its own first."""

    @property
    def folder(self):
        return self.sources[0].parent

    def of(self, clock):
        """The buses of a clock."""
        return [bus for bus in self.buses if bus.clock == clock]

    def single(self):
        """Ports that are of no bus and neither clock nor reset."""
        taken = {port for bus in self.buses for port in bus.signals.values()} | set(self.resets) | set(self.resets.values())
        return [port for port in self.ports if port.name not in taken]


def name(block, config, prefix=PREFIX):
    """arqlink_paper for ArqLink, arqlink_paper_pair for ArqPair, arqlink_paper_rs_encoder for RsEncoder."""
    rest = re.sub("^ArqLink|^Arq(?=[A-Z])", "", block)
    words = re.sub("(?<!^)(?=[A-Z])", "_", rest).lower()
    return prefix + "_".join(filter(None, [config, words]))


def read(description, more_sources=()):
    """The module of a JSON description."""
    found = json.loads(Path(description).read_text())
    return Module(
        name=found["module"],
        version=found["version"],
        block=found["block"],
        configuration=found["configuration"],
        parameters=found["parameters"],
        resets={pair["clock"]: pair["reset"] for pair in found["clocks"]},
        buses=tuple(Bus(**bus) for bus in found["buses"]),
        ports=tuple(Port(**port) for port in found["ports"]),
        sources=(Path(description).with_suffix(".v"), *more_sources),
    )


def generate(block, config, settings=(), prefix=PREFIX, program=None):
    """Writes a block to build/verilog, in a folder of its own; `settings` as for verilog.generate, `program` as for soc.generate, for
    whose blocks it is."""
    module = name(block, config, prefix)
    folder = FOLDER / tree.file_name("-".join([module, *([program] if program else []), *settings]))
    if program:
        files = soc.generate(block, config, program, settings, module=module, folder=folder)
    else:
        files = [verilog.generate(block, config, settings, module=module, folder=folder)]
    return read(folder / f"{module}.json", files[1:])
