# SPDX-License-Identifier: Apache-2.0
"""LinkState of the RTL, as benches of single blocks see it: a bit each. STATUS.state has the bit's number."""

DOWN, CLEARING, HELLO, UP, OUTAGE = (1 << bit for bit in range(5))
