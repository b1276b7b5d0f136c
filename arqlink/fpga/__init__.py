# SPDX-License-Identifier: Apache-2.0
"""Synthesis, place and route with the open tools, and what is asked of their results."""
