# SPDX-License-Identifier: Apache-2.0
# Crossings of ArqLinkPhyClock in AMD's tools, after the clocks are made: read_xdc -ref ArqLinkPhyClock arqlink_phy_clock.xdc
# Read arqlink.xdc as well; it has the carrier detect. Only paths between cells of the two FIFOs are touched.

set core [get_property PERIOD [get_clocks -of_objects [get_ports aclk]]]
set phy [get_property PERIOD [get_clocks -of_objects [get_ports phy_aclk]]]
set faster [expr {min($core, $phy)}]

# Gray-coded pointers: all bits arrive within one period of the faster clock.
set_max_delay -datapath_only $faster \
  -from [get_cells -hierarchical -filter {NAME =~ *streamFifoCC_*/pushCC_pushPtrGray_reg*}] \
  -to [get_cells -hierarchical -filter {NAME =~ *streamFifoCC_*/pushToPopGray_buffercc/buffers_0_reg*}]
set_max_delay -datapath_only $faster \
  -from [get_cells -hierarchical -filter {NAME =~ *streamFifoCC_*/popCC_ptrToPush_reg*}] \
  -to [get_cells -hierarchical -filter {NAME =~ *streamFifoCC_*/popToPushGray_buffercc/buffers_0_reg*}]

# Words, in distributed RAM: written by one clock, read into a register by the other.
set_max_delay -datapath_only $faster \
  -from [get_cells -hierarchical -filter {NAME =~ *streamFifoCC_*/ram_reg*}] \
  -to [get_cells -hierarchical -filter {NAME =~ *streamFifoCC_*/ram_spinal_port1_reg*}]

# The push side's reset begins at once on the pop side; its end is synchronized.
set_false_path -to [get_pins -hierarchical -filter {NAME =~ *asyncAssertSyncDeassert_buffercc/buffers_*_reg*/CLR}]
