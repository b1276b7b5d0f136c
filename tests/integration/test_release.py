# SPDX-License-Identifier: Apache-2.0
"""The archive of a release: complete, the same bit for bit, and of use on a machine that has only Icarus."""

import hashlib
import json
import re
import subprocess
import tarfile

import pytest

from arqlink import tree
from arqlink.integration import release

NAME = f"arqlink-{tree.version()}"


@pytest.fixture(scope="module")
def archive():
    return release.make(["tiny"]).read_bytes()


@pytest.fixture(scope="module")
def unpacked(archive, tmp_path_factory):
    folder = tmp_path_factory.mktemp("release")
    (folder / "archive.tar.gz").write_bytes(archive)
    with tarfile.open(folder / "archive.tar.gz") as files:
        files.extractall(folder, filter="data")
    return folder / NAME


def test_it_is_the_same_again(archive):
    assert release.make(["tiny"]).read_bytes() == archive


def test_names_and_contents_alone_decide_the_archive():
    files = {"b": b"2", "a": b"1"}
    assert release.pack(files, "top") == release.pack(dict(reversed(files.items())), "top")
    assert release.pack(files, "top") != release.pack(files | {"a": b"2"}, "top")


def test_it_is_complete(unpacked):
    wanted = [
        *(
            "README.md",
            "LICENSE",
            "NOTICE",
            "sbom.cdx.json",
            "SHA256SUMS",
            f"{NAME}-py3-none-any.whl",
            "site/index.html",
            "site/docs/integration.html",
            "site/pages/planner.html",
        ),
        *("registers/arqlink_regs.h", "registers/arqlink_regs.rdl", "registers/configs.json", "driver/include/arqlink.h", "driver/src/arqlink_core.c"),
        *("wireshark/arqlink.lua", "site/docs/wireshark.html"),
        *("constraints/amd/arqlink.xdc", "examples/two_links/wide_tiny.v", "examples/ethernet/eth_tiny.v", "examples/bring_up/arqlink_bring_up.v"),
        *("examples/byte_stream/byte_stream_link.v", "examples/driver/driver_soc.v", "examples/driver/firmware/main.c"),
        *(f"verilog/{top}/{top}.v" for top in ("arqlink_tiny", "arqlink_tiny_phy_clock", "arqlink_tiny_byte_stream")),
        *(
            f"verilog/arqlink_tiny/{name}"
            for name in ("component.xml", "package_ip.tcl", "arqlink_tiny_hw.tcl", "arqlink_tiny_template.v", "arqlink_tiny.json")
        ),
    ]
    assert [name for name in wanted if not (unpacked / name).is_file()] == []


def test_checksums_are_of_all_files(unpacked):
    sums = dict(line.split("  ")[::-1] for line in (unpacked / "SHA256SUMS").read_text().splitlines())
    files = {str(path.relative_to(unpacked)): path for path in unpacked.rglob("*") if path.is_file() and path.name != "SHA256SUMS"}
    assert sums == {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}


def test_the_bill_names_licences_and_parts(unpacked):
    bill = json.loads((unpacked / "sbom.cdx.json").read_text())
    parts = {part["name"]: part for part in bill["components"]}
    assert all(part["licenses"][0]["license"]["id"] and part["version"] for part in parts.values())
    pom = (tree.ROOT / "rtl" / "pom.xml").read_text()
    assert f"<spinal.version>{parts['spinalhdl-lib']['version']}</spinal.version>" in pom
    assert "verilog/arqlink_tiny/arqlink_tiny.v" in parts
    assert f"(v{parts['uplot']['version']})" in (unpacked / "site" / "pages" / "planner.html").read_text()
    assert "Leon Sorokin" in (unpacked / "NOTICE").read_text()


@pytest.mark.docs
def test_its_first_steps_pass(unpacked):
    """The command that its README gives for Icarus, where it gives it."""
    (command,) = re.findall(r"^    (iverilog .*)$", (unpacked / "README.md").read_text(), re.M)
    done = subprocess.run(["sh", "-c", command], cwd=unpacked / "examples" / "two_links", capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.rstrip().endswith("PASSED"), done.stdout + done.stderr
