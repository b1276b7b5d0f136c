# SPDX-License-Identifier: Apache-2.0
"""The fault campaign between two link ends, and what its program measures besides."""
