# SPDX-License-Identifier: Apache-2.0
"""Analytic models that only the experiments need."""
