# SPDX-License-Identifier: Apache-2.0
"""The gateway of sim/gateway: between a LAN and the link, aware of TCP."""
