# SPDX-License-Identifier: Apache-2.0
"""TCP over the link, simulated: points with all their settings, and what is measured there."""
