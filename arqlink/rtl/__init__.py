# SPDX-License-Identifier: Apache-2.0
"""The hardware's sources: Verilog and simulators made of them, the generated contracts, and the soft system's programs."""
