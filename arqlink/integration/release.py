# SPDX-License-Identifier: Apache-2.0
"""An archive with all that a design needs, the same bit for bit whenever and wherever it is made of the same sources."""

import gzip
import hashlib
import io
import json
import subprocess
import sys
import tarfile
from pathlib import Path
from xml.etree import ElementTree

from arqlink import tree
from arqlink.errors import UserError
from arqlink.integration.companions import write
from arqlink.integration.module import generate
from arqlink.pages import chart_library

OUTPUT = tree.BUILD / "release"
TEXTS = tree.ROOT / "release"
BLOCKS = ("ArqLink", "ArqLinkPhyClock", "ArqLinkByteStream")
EXAMPLES = {"two_links": ("tiny", ("windowFrames=64",), "wide_"), "ethernet": ("tiny", ("windowFrames=128", "maxPacketBytes=1518"), "eth_")}
"""Each example's module that is of no named configuration: configuration, settings, prefix; as in its core."""
FOLDERS = {"constraints": "constraints", "rtl/regs": "registers", "sw/driver": "driver", "examples": "examples", "wireshark": "wireshark"}
"""Folders of the sources, and theirs in the archive."""
EPOCH = 315532800
"""Time of all files: 1 January 1980, the earliest that all archives know."""


def tracked(folder):
    """Files of a folder of the sources that are under version control, and nothing else that may lie there."""
    done = subprocess.run(["git", "ls-files", "-z", folder], cwd=tree.ROOT, check=True, capture_output=True, text=True)
    return [Path(name) for name in done.stdout.split("\0") if name]


def contents(configs, site, wheel):
    """Bytes of each file of the archive, by path. `site` is the folder of the built documentation, `wheel` the package."""
    version = tree.version()
    files = {"README.md": (TEXTS / "README.template").read_text().replace("@VERSION@", version).encode()}
    files |= {"NOTICE": (TEXTS / "NOTICE").read_bytes(), "LICENSE": (tree.ROOT / "LICENSE").read_bytes(), wheel.name: wheel.read_bytes()}
    for config in configs:
        for block in BLOCKS:
            module = generate(block, config)
            files |= {f"verilog/{module.name}/{path.name}": path.read_bytes() for path in write(module)}
    for source, target in FOLDERS.items():
        files |= {f"{target}/{path.relative_to(source)}": (tree.ROOT / path).read_bytes() for path in tracked(source)}
    for example, (config, settings, prefix) in EXAMPLES.items():
        verilog = generate("ArqLink", config, settings, prefix).sources[0]
        files[f"examples/{example}/{verilog.name}"] = verilog.read_bytes()
    files |= {f"site/{path.relative_to(site)}": path.read_bytes() for path in site.rglob("*") if path.is_file()}
    files["sbom.cdx.json"] = bill(files).encode()
    files["SHA256SUMS"] = "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items())).encode()
    return files


def spinal():
    """Version of SpinalHDL."""
    properties = ElementTree.parse(tree.ROOT / "rtl" / "pom.xml").getroot().find("{*}properties")
    assert properties is not None
    return properties.findtext("{*}spinal.version")


def bill(files):
    """What is in the archive: a CycloneDX 1.6 document. It has neither time nor serial number, which would differ from run to run."""

    def component(kind, name, version, licence, **more):
        return {"type": kind, "name": name, "version": version, "licenses": [{"license": {"id": licence}}], **more}

    version = tree.version()
    parts = [component("library", "spinalhdl-lib", spinal(), "MIT", group="com.github.spinalhdl", description="components in the Verilog")]
    parts.append(component("library", chart_library.NAME, chart_library.VERSION, chart_library.LICENCE, description="charts in the planner page"))
    parts += [
        component("file", name, version, "Apache-2.0", hashes=[{"alg": "SHA-256", "content": hashlib.sha256(data).hexdigest()}])
        for name, data in sorted(files.items())
        if name.endswith((".v", ".whl"))
    ]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": component("library", "arqlink", version, "Apache-2.0")},
        "components": parts,
    }
    return json.dumps(document, indent=1) + "\n"


def pack(files, top):
    """A compressed archive with all files below the folder `top`; only names and contents decide it."""
    packed = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=packed, mode="wb", mtime=EPOCH) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name, data in sorted(files.items()):
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mtime, entry.mode = len(data), EPOCH, 0o644
            archive.addfile(entry, io.BytesIO(data))
    return packed.getvalue()


def run(what, *command):
    done = subprocess.run([str(word) for word in command], cwd=tree.ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UserError(f"{what} failed:\n{done.stdout}{done.stderr}")


def make(configs):
    """Writes the archive of these configurations, or of all, to build/release; returns its path."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    site, wheels = OUTPUT / "site", OUTPUT / "wheel"
    python = Path(sys.executable)
    run("The documentation", python.parent / "mkdocs", "build", "--strict", "--site-dir", site)
    run("The wheel", python, "-c", f"import hatchling.build as b; b.build_wheel({str(wheels)!r})")
    name = f"arqlink-{tree.version()}"
    archive = OUTPUT / f"{name}.tar.gz"
    archive.write_bytes(pack(contents(configs, site, wheels / f"{name}-py3-none-any.whl"), name))
    return archive
