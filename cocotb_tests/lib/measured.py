# SPDX-License-Identifier: Apache-2.0
"""Keeps what a bench has measured, as build/bench/NAME.json, for `make bench`."""

import json

from cocotb_tests.lib import rtl


def record(name, **values):
    folder = rtl.BUILD / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(values, indent=1))
