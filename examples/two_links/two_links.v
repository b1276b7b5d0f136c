// SPDX-License-Identifier: Apache-2.0
// Two links with different settings in one FPGA: module arqlink_tiny, and wide_tiny, which is the same with a window of 64 frames.
// Each is set up by a state machine of its own; there is no CPU.

// What is left open: `up` says more than `ready`; a packet of bytes needs no tkeep; the core never marks a unit that it sends, and always takes
// one that comes.
/* verilator lint_off PINCONNECTEMPTY */

module two_links (
  input  wire       aclk,
  input  wire       aresetn,
  output wire [1:0] up,        // bit 0: link 0
  output wire [1:0] failed,
  output wire [1:0] irq,

  // Packets of link 0, a byte a clock.
  input  wire       s0_axis_tvalid,
  output wire       s0_axis_tready,
  input  wire [7:0] s0_axis_tdata,
  input  wire       s0_axis_tlast,
  output wire       m0_axis_tvalid,
  input  wire       m0_axis_tready,
  output wire [7:0] m0_axis_tdata,
  output wire       m0_axis_tlast,
  output wire       m0_axis_tuser,

  // Packets of link 1.
  input  wire       s1_axis_tvalid,
  output wire       s1_axis_tready,
  input  wire [7:0] s1_axis_tdata,
  input  wire       s1_axis_tlast,
  output wire       m1_axis_tvalid,
  input  wire       m1_axis_tready,
  output wire [7:0] m1_axis_tdata,
  output wire       m1_axis_tlast,
  output wire       m1_axis_tuser,

  // Units to and from the modem of link 0.
  output wire       m0_axis_phy_tvalid,
  input  wire       m0_axis_phy_tready,
  output wire [7:0] m0_axis_phy_tdata,
  output wire       m0_axis_phy_tlast,
  input  wire       s0_axis_phy_tvalid,
  input  wire [7:0] s0_axis_phy_tdata,
  input  wire       s0_axis_phy_tlast,
  input  wire       s0_axis_phy_tuser,

  // And of link 1.
  output wire       m1_axis_phy_tvalid,
  input  wire       m1_axis_phy_tready,
  output wire [7:0] m1_axis_phy_tdata,
  output wire       m1_axis_phy_tlast,
  input  wire       s1_axis_phy_tvalid,
  input  wire [7:0] s1_axis_phy_tdata,
  input  wire       s1_axis_phy_tlast,
  input  wire       s1_axis_phy_tuser
);

  // ---- Link 0

  wire axil0_awvalid;
  wire axil0_awready;
  wire [11:0] axil0_awaddr;
  wire [2:0] axil0_awprot;
  wire axil0_wvalid;
  wire axil0_wready;
  wire [31:0] axil0_wdata;
  wire [3:0] axil0_wstrb;
  wire axil0_bvalid;
  wire axil0_bready;
  wire [1:0] axil0_bresp;
  wire axil0_arvalid;
  wire axil0_arready;
  wire [11:0] axil0_araddr;
  wire [2:0] axil0_arprot;
  wire axil0_rvalid;
  wire axil0_rready;
  wire [31:0] axil0_rdata;
  wire [1:0] axil0_rresp;
  // K = 4, N = 6, persistency infinite
  arqlink_bring_up #(.CODE(32'h00060604), .ARQ(32'h0000030F)) bring_up0 (
    .aclk(aclk), .aresetn(aresetn), .ready(), .up(up[0]), .failed(failed[0]),
    .m_axil_awvalid(axil0_awvalid),
    .m_axil_awready(axil0_awready),
    .m_axil_awaddr(axil0_awaddr),
    .m_axil_awprot(axil0_awprot),
    .m_axil_wvalid(axil0_wvalid),
    .m_axil_wready(axil0_wready),
    .m_axil_wdata(axil0_wdata),
    .m_axil_wstrb(axil0_wstrb),
    .m_axil_bvalid(axil0_bvalid),
    .m_axil_bready(axil0_bready),
    .m_axil_bresp(axil0_bresp),
    .m_axil_arvalid(axil0_arvalid),
    .m_axil_arready(axil0_arready),
    .m_axil_araddr(axil0_araddr),
    .m_axil_arprot(axil0_arprot),
    .m_axil_rvalid(axil0_rvalid),
    .m_axil_rready(axil0_rready),
    .m_axil_rdata(axil0_rdata),
    .m_axil_rresp(axil0_rresp)
  );

  arqlink_tiny link0 (
    .aclk(aclk),
    .aresetn(aresetn),
    .phy_up(1'b1),
    .irq(irq[0]),
    .s_axis_tvalid(s0_axis_tvalid),
    .s_axis_tready(s0_axis_tready),
    .s_axis_tdata(s0_axis_tdata),
    .s_axis_tkeep(1'b1),
    .s_axis_tlast(s0_axis_tlast),
    .s_axis_tuser(1'b0),
    .m_axis_tvalid(m0_axis_tvalid),
    .m_axis_tready(m0_axis_tready),
    .m_axis_tdata(m0_axis_tdata),
    .m_axis_tkeep(),
    .m_axis_tlast(m0_axis_tlast),
    .m_axis_tuser(m0_axis_tuser),
    .m_axis_phy_tvalid(m0_axis_phy_tvalid),
    .m_axis_phy_tready(m0_axis_phy_tready),
    .m_axis_phy_tdata(m0_axis_phy_tdata),
    .m_axis_phy_tlast(m0_axis_phy_tlast),
    .m_axis_phy_tuser(),
    .s_axis_phy_tvalid(s0_axis_phy_tvalid),
    .s_axis_phy_tready(),
    .s_axis_phy_tdata(s0_axis_phy_tdata),
    .s_axis_phy_tlast(s0_axis_phy_tlast),
    .s_axis_phy_tuser(s0_axis_phy_tuser),
    .s_axil_awvalid(axil0_awvalid),
    .s_axil_awready(axil0_awready),
    .s_axil_awaddr(axil0_awaddr),
    .s_axil_awprot(axil0_awprot),
    .s_axil_wvalid(axil0_wvalid),
    .s_axil_wready(axil0_wready),
    .s_axil_wdata(axil0_wdata),
    .s_axil_wstrb(axil0_wstrb),
    .s_axil_bvalid(axil0_bvalid),
    .s_axil_bready(axil0_bready),
    .s_axil_bresp(axil0_bresp),
    .s_axil_arvalid(axil0_arvalid),
    .s_axil_arready(axil0_arready),
    .s_axil_araddr(axil0_araddr),
    .s_axil_arprot(axil0_arprot),
    .s_axil_rvalid(axil0_rvalid),
    .s_axil_rready(axil0_rready),
    .s_axil_rdata(axil0_rdata),
    .s_axil_rresp(axil0_rresp)
  );

  // ---- Link 1

  wire axil1_awvalid;
  wire axil1_awready;
  wire [11:0] axil1_awaddr;
  wire [2:0] axil1_awprot;
  wire axil1_wvalid;
  wire axil1_wready;
  wire [31:0] axil1_wdata;
  wire [3:0] axil1_wstrb;
  wire axil1_bvalid;
  wire axil1_bready;
  wire [1:0] axil1_bresp;
  wire axil1_arvalid;
  wire axil1_arready;
  wire [11:0] axil1_araddr;
  wire [2:0] axil1_arprot;
  wire axil1_rvalid;
  wire axil1_rready;
  wire [31:0] axil1_rdata;
  wire [1:0] axil1_rresp;
  // K = 4, N = 5 and 6 for retransmissions, persistency 3
  arqlink_bring_up #(.CODE(32'h00060504), .ARQ(32'h00000303)) bring_up1 (
    .aclk(aclk), .aresetn(aresetn), .ready(), .up(up[1]), .failed(failed[1]),
    .m_axil_awvalid(axil1_awvalid),
    .m_axil_awready(axil1_awready),
    .m_axil_awaddr(axil1_awaddr),
    .m_axil_awprot(axil1_awprot),
    .m_axil_wvalid(axil1_wvalid),
    .m_axil_wready(axil1_wready),
    .m_axil_wdata(axil1_wdata),
    .m_axil_wstrb(axil1_wstrb),
    .m_axil_bvalid(axil1_bvalid),
    .m_axil_bready(axil1_bready),
    .m_axil_bresp(axil1_bresp),
    .m_axil_arvalid(axil1_arvalid),
    .m_axil_arready(axil1_arready),
    .m_axil_araddr(axil1_araddr),
    .m_axil_arprot(axil1_arprot),
    .m_axil_rvalid(axil1_rvalid),
    .m_axil_rready(axil1_rready),
    .m_axil_rdata(axil1_rdata),
    .m_axil_rresp(axil1_rresp)
  );

  wide_tiny link1 (
    .aclk(aclk),
    .aresetn(aresetn),
    .phy_up(1'b1),
    .irq(irq[1]),
    .s_axis_tvalid(s1_axis_tvalid),
    .s_axis_tready(s1_axis_tready),
    .s_axis_tdata(s1_axis_tdata),
    .s_axis_tkeep(1'b1),
    .s_axis_tlast(s1_axis_tlast),
    .s_axis_tuser(1'b0),
    .m_axis_tvalid(m1_axis_tvalid),
    .m_axis_tready(m1_axis_tready),
    .m_axis_tdata(m1_axis_tdata),
    .m_axis_tkeep(),
    .m_axis_tlast(m1_axis_tlast),
    .m_axis_tuser(m1_axis_tuser),
    .m_axis_phy_tvalid(m1_axis_phy_tvalid),
    .m_axis_phy_tready(m1_axis_phy_tready),
    .m_axis_phy_tdata(m1_axis_phy_tdata),
    .m_axis_phy_tlast(m1_axis_phy_tlast),
    .m_axis_phy_tuser(),
    .s_axis_phy_tvalid(s1_axis_phy_tvalid),
    .s_axis_phy_tready(),
    .s_axis_phy_tdata(s1_axis_phy_tdata),
    .s_axis_phy_tlast(s1_axis_phy_tlast),
    .s_axis_phy_tuser(s1_axis_phy_tuser),
    .s_axil_awvalid(axil1_awvalid),
    .s_axil_awready(axil1_awready),
    .s_axil_awaddr(axil1_awaddr),
    .s_axil_awprot(axil1_awprot),
    .s_axil_wvalid(axil1_wvalid),
    .s_axil_wready(axil1_wready),
    .s_axil_wdata(axil1_wdata),
    .s_axil_wstrb(axil1_wstrb),
    .s_axil_bvalid(axil1_bvalid),
    .s_axil_bready(axil1_bready),
    .s_axil_bresp(axil1_bresp),
    .s_axil_arvalid(axil1_arvalid),
    .s_axil_arready(axil1_arready),
    .s_axil_araddr(axil1_araddr),
    .s_axil_arprot(axil1_arprot),
    .s_axil_rvalid(axil1_rvalid),
    .s_axil_rready(axil1_rready),
    .s_axil_rdata(axil1_rdata),
    .s_axil_rresp(axil1_rresp)
  );

endmodule
