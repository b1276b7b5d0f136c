// SPDX-License-Identifier: Apache-2.0
// AXI4-Lite between two modules, once for all examples: `AXIL_WIRES(bus) declares the signals bus_awvalid and so on, and `AXIL_CONNECT(port, bus)
// connects the ports port_awvalid and so on of an instance to them. `make verilog` writes the same connections in full, to copy.

`ifndef ARQLINK_AXIL
`define ARQLINK_AXIL

`define AXIL_WIRES(bus) \
  wire bus``_awvalid, bus``_awready, bus``_wvalid, bus``_wready, bus``_bvalid, bus``_bready; \
  wire bus``_arvalid, bus``_arready, bus``_rvalid, bus``_rready; \
  wire [11:0] bus``_awaddr, bus``_araddr; \
  wire [2:0] bus``_awprot, bus``_arprot; \
  wire [31:0] bus``_wdata, bus``_rdata; \
  wire [3:0] bus``_wstrb; \
  wire [1:0] bus``_bresp, bus``_rresp;

`define AXIL_CONNECT(port, bus) \
  .port``_awvalid(bus``_awvalid), .port``_awready(bus``_awready), .port``_awaddr(bus``_awaddr), .port``_awprot(bus``_awprot), \
  .port``_wvalid(bus``_wvalid), .port``_wready(bus``_wready), .port``_wdata(bus``_wdata), .port``_wstrb(bus``_wstrb), \
  .port``_bvalid(bus``_bvalid), .port``_bready(bus``_bready), .port``_bresp(bus``_bresp), \
  .port``_arvalid(bus``_arvalid), .port``_arready(bus``_arready), .port``_araddr(bus``_araddr), .port``_arprot(bus``_arprot), \
  .port``_rvalid(bus``_rvalid), .port``_rready(bus``_rready), .port``_rdata(bus``_rdata), .port``_rresp(bus``_rresp)

`endif
