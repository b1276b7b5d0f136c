# SPDX-License-Identifier: Apache-2.0
"""The two models of the link, `event` and `rtl`, behind one C++ interface: their builds, and runs of packets over them."""
