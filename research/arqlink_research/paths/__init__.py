# SPDX-License-Identifier: Apache-2.0
"""The way over a satellite: when buildings hide it, how long it delays, and what bit errors erase. docs/channels.md has formulas and sources."""
