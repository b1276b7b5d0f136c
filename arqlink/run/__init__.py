# SPDX-License-Identifier: Apache-2.0
"""Runs in simulation: the pair of links and the codec, what goes into them, and what comes of it."""
