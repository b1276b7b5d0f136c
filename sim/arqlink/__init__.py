# SPDX-License-Identifier: Apache-2.0
"""arqlink: runs, measures and models a hybrid FEC/ARQ link layer whose hardware is simulated with Verilator."""

from pathlib import Path

__version__ = (Path(__file__).resolve().parents[2] / "VERSION").read_text().strip()
