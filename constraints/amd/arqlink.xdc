# SPDX-License-Identifier: Apache-2.0
# Timing of ArqLink in AMD's tools, read for the module itself: read_xdc -ref ArqLink arqlink.xdc
# The clock's period comes from the design around it; alone (out of context), 156.25 MHz:
#   create_clock -name aclk -period 6.400 [get_ports aclk]

# Carrier detect may come at any time; two flip-flops synchronize it.
set_false_path -to [get_cells -hierarchical -filter {NAME =~ *phy_up_buffercc/buffers_0_reg*}]
