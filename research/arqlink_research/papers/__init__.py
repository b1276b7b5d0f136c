# SPDX-License-Identifier: Apache-2.0
"""Figures of the papers, simulated over the link and by their models: points, CSV and SVG of each."""
