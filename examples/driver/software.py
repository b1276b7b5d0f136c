# SPDX-License-Identifier: Apache-2.0
"""FuseSoC generator: builds the firmware, and adds the Verilog of VexRiscv, which the package pythondata-cpu-vexriscv brings."""

import shutil
import subprocess
import sys
from pathlib import Path

import pythondata_cpu_vexriscv
import yaml

CPU = "VexRiscv_Lite.v"


def main(path):
    job = yaml.safe_load(Path(path).read_text())
    subprocess.run(["make", "-C", Path(__file__).resolve().parent / "firmware", f"OUT={Path.cwd()}"], check=True)
    shutil.copy(Path(pythondata_cpu_vexriscv.data_location) / CPU, CPU)
    files = [{CPU: {"file_type": "verilogSource"}}, {"firmware.hex": {"file_type": "user", "copyto": "firmware.hex"}}]
    core = {"name": job["vlnv"], "filesets": {"all": {"files": files}}, "targets": {"default": {"filesets": ["all"]}}}
    Path("software.core").write_text("CAPI=2:\n" + yaml.safe_dump(core))


if __name__ == "__main__":
    main(sys.argv[1])
