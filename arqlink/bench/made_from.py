# SPDX-License-Identifier: Apache-2.0
"""What the numbers in the documents that need minutes of simulation were made from, as a hash beside them: the Verilog, the simulator's sources, and the
command. A test compares it, so that nobody has to simulate to know that they are up to date."""

import json

from arqlink import cache, tree
from arqlink.rtl import verilog
from arqlink.run import pair_simulator

FILE = tree.ROOT / "docs" / "figures" / "link" / "made_from.json"


def fingerprint(configs, command):
    """Of runs of the pair in some configurations; `command` is text that says what is run."""
    pairs = [verilog.generate(pair_simulator.TOP, config) for config in configs]
    hardware = [verilog.synthesized(pair.read_text()) for pair in pairs]
    contents = [path for pair in pairs for path in sorted(verilog.contents(pair))]
    return cache.digest(command, *hardware, *contents, pair_simulator.FOLDER, pair_simulator.END, pair_simulator.JOB)


def recorded():
    return json.loads(FILE.read_text())


def record(name, value):
    FILE.write_text(json.dumps(dict(sorted({**recorded(), name: value}.items())), indent=1) + "\n")
