# SPDX-License-Identifier: Apache-2.0
"""What puts a generated module into a design of others: named Verilog, and the files that vendors' tools and SoC builders read beside it."""
