# SPDX-License-Identifier: Apache-2.0
"""The soft system, on a real board or in simulation: its serial port, boot loader and shell."""
