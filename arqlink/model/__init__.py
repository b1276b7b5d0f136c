# SPDX-License-Identifier: Apache-2.0
"""The link on paper: what is chosen about it, loss of units, the analytic values, and exact statistics."""
