# SPDX-License-Identifier: Apache-2.0
# Timing of ArqLinkPhyClock in AMD's tools: read_xdc -ref ArqLinkPhyClock arqlink_phy_clock.xdc, after the clocks are made.

set core [get_clocks -of_objects [get_ports aclk]]
set phy [get_clocks -of_objects [get_ports phy_aclk]]
set faster [expr {min([get_property PERIOD $core], [get_property PERIOD $phy])}]

# Gray-coded pointers and the FIFO's words: all bits of a pointer arrive within one period of the faster clock.
set_max_delay -datapath_only -from $core -to $phy $faster
set_max_delay -datapath_only -from $phy -to $core $faster

# Carrier detect may come at any time; two flip-flops synchronize it.
set_false_path -from [get_ports phy_up]
