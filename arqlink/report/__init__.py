# SPDX-License-Identifier: Apache-2.0
"""What people and programs read: tables, JSON and bars of progress."""
