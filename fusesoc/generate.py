# SPDX-License-Identifier: Apache-2.0
"""FuseSoC generator: writes the Verilog of one block, and gives it to FuseSoC.

Parameters: `config`, one of the named configurations; `settings`, values in place of the configuration's; `block`, ArqLink if not given;
`prefix` of the names of all modules, `arqlink_` if not given, and empty for names without prefix as in the project's own tests; with a block of
arqlink.gen.GenerateSoc `program`, the RAM image of build/sw that is built in.
"""

import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHON = ROOT / ".venv" / "bin" / "python"
KNOWN = {"block", "config", "settings", "prefix", "program"}


def own_python():
    """Goes on with the project's own Python, which has all packages: FuseSoC may run with another."""
    if not PYTHON.exists():
        sys.exit(f"arqlink is not set up: run 'make setup' in {ROOT}.")
    if Path(sys.prefix).resolve() != PYTHON.parents[1].resolve():
        os.execv(PYTHON, [str(PYTHON), *sys.argv])


def sources(block="ArqLink", config=None, settings=None, prefix=None, program=None):
    """Verilog files."""
    from arqlink.errors import UserError
    from arqlink.integration import module
    from arqlink.rtl import soc, verilog

    if config is None:
        raise UserError("The generator arqlink needs a 'config', e.g. 'default'.")
    if not isinstance(settings or {}, dict):
        raise UserError("'settings' of the generator arqlink are names with values, e.g. 'windowFrames: 256'.")
    values = [f"{name}={value}" for name, value in (settings or {}).items()]
    if prefix != "":
        return module.generate(block, config, values, prefix or module.PREFIX, program).sources
    return soc.generate(block, config, program, values) if program else [verilog.generate(block, config, values)]


def main(path):
    import yaml

    from arqlink.errors import UserError

    job = yaml.safe_load(Path(path).read_text())
    parameters = job.get("parameters") or {}
    try:
        if unknown := set(parameters) - KNOWN:
            raise UserError(f"The generator arqlink has no parameter '{min(unknown)}'; it has {', '.join(sorted(KNOWN))}.")
        files = sources(**parameters)
    except UserError as error:
        sys.exit(str(error))
    for source in files:
        shutil.copy(source, source.name)  # the generator runs in a folder of its own
    core = {
        "name": job["vlnv"],
        "filesets": {"rtl": {"files": [source.name for source in files], "file_type": "verilogSource"}},
        "targets": {"default": {"filesets": ["rtl"]}},
    }
    Path("arqlink.core").write_text("CAPI=2:\n" + yaml.safe_dump(core))


if __name__ == "__main__":
    own_python()
    sys.path.insert(0, str(ROOT))
    main(sys.argv[1])
