# SPDX-License-Identifier: Apache-2.0
"""`arqlink release`: the archive of a release."""

import hashlib
import json
from typing import Annotated

import typer

from arqlink import tree
from arqlink.integration.release import make


def release(
    configs: Annotated[list[str] | None, typer.Argument(metavar="[CONFIG]…", help="Configurations whose Verilog is in it.", show_default="all")] = None,
):
    """Write build/release/arqlink-VERSION.tar.gz: Verilog, constraints, registers, driver, examples, documentation, wheel.

    Example: arqlink release
    """
    tree.require()
    archive = make(configs or list(json.loads(tree.CONFIGS.read_text())))
    print(f"{archive.relative_to(tree.ROOT)}: {archive.stat().st_size / 1e6:.1f} MB, SHA-256 {hashlib.sha256(archive.read_bytes()).hexdigest()}")
