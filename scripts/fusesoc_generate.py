# SPDX-License-Identifier: Apache-2.0
"""FuseSoC generator: runs Maven and SpinalHDL, and gives FuseSoC the Verilog of one block.

Parameters: `block` and `config`, as for arqlink.gen.Generate; or `block` of arqlink.gen.GenerateSoc, `config`, and `program`: the RAM
image of build/sw that is built in.
"""

import shutil
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "sim"))

from arqlink.rtl import soc, verilog  # noqa: E402


def sources(block, config, program=None):
    if program is None:
        return [verilog.generate(block, config)]
    return soc.generate(block, config, program)


def main(path):
    job = yaml.safe_load(Path(path).read_text())
    files = sources(**job["parameters"])
    for source in files:
        shutil.copy(source, source.name)  # the generator runs in a folder of its own
    core = {
        "name": job["vlnv"],
        "filesets": {"rtl": {"files": [source.name for source in files], "file_type": "verilogSource"}},
        "targets": {"default": {"filesets": ["rtl"]}},
    }
    Path(f"{job['parameters']['block']}.core").write_text("CAPI=2:\n" + yaml.safe_dump(core))


if __name__ == "__main__":
    main(sys.argv[1])
