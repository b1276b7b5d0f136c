# SPDX-License-Identifier: Apache-2.0
"""The commands that this package adds to `arqlink`."""
