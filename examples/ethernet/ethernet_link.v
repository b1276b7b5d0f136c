// SPDX-License-Identifier: Apache-2.0
// Ethernet frames over a link. `mac_rx_*` and `mac_tx_*` are an Ethernet MAC's streams of bytes: frames without preamble and, as the MAC checks
// it, without FCS; `mac_rx_tuser` in a frame's last byte says that the check failed.
//
// Length rules: frames of 14 to 1518 bytes pass as they are, with 802.1Q tags too. Shorter ones and bad ones end in the first FIFO and are
// counted in `rx_dropped`. Longer ones are dropped by the link, whose build has maxPacketBytes = 1518, and counted in tx_drop_oversize. A MAC
// cannot be told to wait: frames that come faster than the link carries them fill the FIFO of 16 KiB, and are dropped and counted there.
// A packet that a restart of the link has cut (m_axis_tuser) is dropped before it reaches the other MAC, and counted in `tx_dropped`.

/* verilator lint_off PINCONNECTEMPTY */ // a packet of bytes needs no tkeep, the core never marks a unit that it sends, and always takes one that comes

`include "axil.vh"

module ethernet_link (
  input  wire        aclk,
  input  wire        aresetn,
  output wire        up,
  output wire        failed,
  output wire        irq,
  output wire [31:0] rx_dropped,
  output wire [31:0] tx_dropped,

  input  wire        mac_rx_tvalid,
  input  wire [7:0]  mac_rx_tdata,
  input  wire        mac_rx_tlast,
  input  wire        mac_rx_tuser,
  output wire        mac_tx_tvalid,
  input  wire        mac_tx_tready,
  output wire [7:0]  mac_tx_tdata,
  output wire        mac_tx_tlast,

  output wire        m_axis_phy_tvalid,
  input  wire        m_axis_phy_tready,
  output wire [7:0]  m_axis_phy_tdata,
  output wire        m_axis_phy_tlast,
  input  wire        s_axis_phy_tvalid,
  input  wire [7:0]  s_axis_phy_tdata,
  input  wire        s_axis_phy_tlast,
  input  wire        s_axis_phy_tuser
);

  wire       in_tvalid, in_tready, in_tlast, out_tvalid, out_tready, out_tlast, out_tuser;
  wire [7:0] in_tdata, out_tdata;

  // The MAC's clock may be another: then an asynchronous FIFO of bytes goes between the MAC and each of these.
  frame_fifo #(.ADDRESS_BITS(14)) from_mac (
    .clk(aclk), .resetn(aresetn), .dropped(rx_dropped),
    .s_tvalid(mac_rx_tvalid), .s_tready(), .s_tdata(mac_rx_tdata), .s_tlast(mac_rx_tlast), .s_tuser(mac_rx_tuser),
    .m_tvalid(in_tvalid), .m_tready(in_tready), .m_tdata(in_tdata), .m_tlast(in_tlast)
  );

  frame_fifo #(.ADDRESS_BITS(12), .WAITS(1)) to_mac (
    .clk(aclk), .resetn(aresetn), .dropped(tx_dropped),
    .s_tvalid(out_tvalid), .s_tready(out_tready), .s_tdata(out_tdata), .s_tlast(out_tlast), .s_tuser(out_tuser),
    .m_tvalid(mac_tx_tvalid), .m_tready(mac_tx_tready), .m_tdata(mac_tx_tdata), .m_tlast(mac_tx_tlast)
  );

  `AXIL_WIRES(axil)
  wire ready;

  // K = 4, N = 5, persistency infinite.
  arqlink_bring_up #(.CODE(32'h00050504)) bring_up (
    .aclk(aclk), .aresetn(aresetn), .ready(ready), .up(up), .failed(failed),
    `AXIL_CONNECT(m_axil, axil)
  );

  eth_tiny link (
    .aclk(aclk), .aresetn(aresetn), .phy_up(ready), .irq(irq),
    .s_axis_tvalid(in_tvalid), .s_axis_tready(in_tready), .s_axis_tdata(in_tdata), .s_axis_tkeep(1'b1), .s_axis_tlast(in_tlast), .s_axis_tuser(1'b0),
    .m_axis_tvalid(out_tvalid), .m_axis_tready(out_tready), .m_axis_tdata(out_tdata), .m_axis_tkeep(), .m_axis_tlast(out_tlast), .m_axis_tuser(out_tuser),
    .m_axis_phy_tvalid(m_axis_phy_tvalid), .m_axis_phy_tready(m_axis_phy_tready), .m_axis_phy_tdata(m_axis_phy_tdata),
    .m_axis_phy_tlast(m_axis_phy_tlast), .m_axis_phy_tuser(),
    .s_axis_phy_tvalid(s_axis_phy_tvalid), .s_axis_phy_tready(), .s_axis_phy_tdata(s_axis_phy_tdata),
    .s_axis_phy_tlast(s_axis_phy_tlast), .s_axis_phy_tuser(s_axis_phy_tuser),
    `AXIL_CONNECT(s_axil, axil)
  );

endmodule
