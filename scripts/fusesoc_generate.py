# SPDX-License-Identifier: Apache-2.0
"""FuseSoC generator: runs Maven and SpinalHDL, and gives FuseSoC the Verilog of one block.

Parameters: `block` and `config`, as for arqlink.Generate.
"""

import shutil
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "sim"))

from arqlink import rtl  # noqa: E402


def main(path):
    job = yaml.safe_load(Path(path).read_text())
    block, config = job["parameters"]["block"], job["parameters"]["config"]
    source = rtl.generate(block, config)
    shutil.copy(source, source.name)  # the generator runs in a folder of its own
    core = {
        "name": job["vlnv"],
        "filesets": {"rtl": {"files": [source.name], "file_type": "verilogSource"}},
        "targets": {"default": {"filesets": ["rtl"]}},
    }
    Path(f"{block}.core").write_text("CAPI=2:\n" + yaml.safe_dump(core))


if __name__ == "__main__":
    main(sys.argv[1])
