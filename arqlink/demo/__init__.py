# SPDX-License-Identifier: Apache-2.0
"""Demonstrations: files that cross a simulated link."""
