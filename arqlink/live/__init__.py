# SPDX-License-Identifier: Apache-2.0
"""The Verilated link in real time, between two network namespaces of Linux."""
