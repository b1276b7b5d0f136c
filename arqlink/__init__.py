# SPDX-License-Identifier: Apache-2.0
"""arqlink: runs, measures and models a hybrid FEC/ARQ link layer whose hardware is simulated with Verilator."""

from arqlink import tree

__version__ = tree.version()
