// SPDX-License-Identifier: Apache-2.0
// Two links with different settings in one FPGA: module arqlink_tiny, and wide_tiny, which is the same with a window of 64 frames.
// Each is set up by a state machine of its own; there is no CPU.

// What is left open: `up` says more than `ready`; a packet of bytes needs no tkeep; the core never marks a unit that it sends, and always takes
// one that comes.
/* verilator lint_off PINCONNECTEMPTY */

`include "axil.vh"

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

  `AXIL_WIRES(axil0)
  // K = 4, N = 6, persistency infinite
  arqlink_bring_up #(.CODE(32'h00060604), .ARQ(32'h0000030F)) bring_up0 (
    .aclk(aclk), .aresetn(aresetn), .ready(), .up(up[0]), .failed(failed[0]),
    `AXIL_CONNECT(m_axil, axil0)
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
    `AXIL_CONNECT(s_axil, axil0)
  );

  // ---- Link 1

  `AXIL_WIRES(axil1)
  // K = 4, N = 5 and 6 for retransmissions, persistency 3
  arqlink_bring_up #(.CODE(32'h00060504), .ARQ(32'h00000303)) bring_up1 (
    .aclk(aclk), .aresetn(aresetn), .ready(), .up(up[1]), .failed(failed[1]),
    `AXIL_CONNECT(m_axil, axil1)
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
    `AXIL_CONNECT(s_axil, axil1)
  );

endmodule
