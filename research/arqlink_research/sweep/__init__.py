# SPDX-License-Identifier: Apache-2.0
"""Grids of points, run on Dask and kept in SQLite: one row a point and seed."""
