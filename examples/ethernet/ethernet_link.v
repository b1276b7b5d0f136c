// SPDX-License-Identifier: Apache-2.0
// Ethernet frames over a link. `mac_rx_*` and `mac_tx_*` are an Ethernet MAC's streams of bytes: frames without preamble and, as the MAC checks
// it, without FCS; `mac_rx_tuser` in a frame's last byte says that the check failed.
//
// Length rules: frames of 14 to 1518 bytes pass as they are, with 802.1Q tags too. Shorter ones and bad ones end in the first FIFO and are
// counted in `rx_dropped`. Longer ones are dropped by the link, whose build has maxPacketBytes = 1518, and counted in tx_drop_oversize. A MAC
// cannot be told to wait: frames that come faster than the link carries them fill the FIFO of 16 KiB, and are dropped and counted there.
// A packet that a restart of the link has cut (m_axis_tuser) is dropped before it reaches the other MAC, and counted in `tx_dropped`.

/* verilator lint_off PINCONNECTEMPTY */ // a packet of bytes needs no tkeep, the core never marks a unit that it sends, and always takes one that comes

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

  wire axil_awvalid;
  wire axil_awready;
  wire [11:0] axil_awaddr;
  wire [2:0] axil_awprot;
  wire axil_wvalid;
  wire axil_wready;
  wire [31:0] axil_wdata;
  wire [3:0] axil_wstrb;
  wire axil_bvalid;
  wire axil_bready;
  wire [1:0] axil_bresp;
  wire axil_arvalid;
  wire axil_arready;
  wire [11:0] axil_araddr;
  wire [2:0] axil_arprot;
  wire axil_rvalid;
  wire axil_rready;
  wire [31:0] axil_rdata;
  wire [1:0] axil_rresp;
  wire ready;

  // K = 4, N = 5, persistency infinite.
  arqlink_bring_up #(.CODE(32'h00050504)) bring_up (
    .aclk(aclk), .aresetn(aresetn), .ready(ready), .up(up), .failed(failed),
    .m_axil_awvalid(axil_awvalid),
    .m_axil_awready(axil_awready),
    .m_axil_awaddr(axil_awaddr),
    .m_axil_awprot(axil_awprot),
    .m_axil_wvalid(axil_wvalid),
    .m_axil_wready(axil_wready),
    .m_axil_wdata(axil_wdata),
    .m_axil_wstrb(axil_wstrb),
    .m_axil_bvalid(axil_bvalid),
    .m_axil_bready(axil_bready),
    .m_axil_bresp(axil_bresp),
    .m_axil_arvalid(axil_arvalid),
    .m_axil_arready(axil_arready),
    .m_axil_araddr(axil_araddr),
    .m_axil_arprot(axil_arprot),
    .m_axil_rvalid(axil_rvalid),
    .m_axil_rready(axil_rready),
    .m_axil_rdata(axil_rdata),
    .m_axil_rresp(axil_rresp)
  );

  eth_tiny link (
    .aclk(aclk), .aresetn(aresetn), .phy_up(ready), .irq(irq),
    .s_axis_tvalid(in_tvalid), .s_axis_tready(in_tready), .s_axis_tdata(in_tdata), .s_axis_tkeep(1'b1), .s_axis_tlast(in_tlast), .s_axis_tuser(1'b0),
    .m_axis_tvalid(out_tvalid), .m_axis_tready(out_tready), .m_axis_tdata(out_tdata), .m_axis_tkeep(), .m_axis_tlast(out_tlast), .m_axis_tuser(out_tuser),
    .m_axis_phy_tvalid(m_axis_phy_tvalid), .m_axis_phy_tready(m_axis_phy_tready), .m_axis_phy_tdata(m_axis_phy_tdata),
    .m_axis_phy_tlast(m_axis_phy_tlast), .m_axis_phy_tuser(),
    .s_axis_phy_tvalid(s_axis_phy_tvalid), .s_axis_phy_tready(), .s_axis_phy_tdata(s_axis_phy_tdata),
    .s_axis_phy_tlast(s_axis_phy_tlast), .s_axis_phy_tuser(s_axis_phy_tuser),
    .s_axil_awvalid(axil_awvalid),
    .s_axil_awready(axil_awready),
    .s_axil_awaddr(axil_awaddr),
    .s_axil_awprot(axil_awprot),
    .s_axil_wvalid(axil_wvalid),
    .s_axil_wready(axil_wready),
    .s_axil_wdata(axil_wdata),
    .s_axil_wstrb(axil_wstrb),
    .s_axil_bvalid(axil_bvalid),
    .s_axil_bready(axil_bready),
    .s_axil_bresp(axil_bresp),
    .s_axil_arvalid(axil_arvalid),
    .s_axil_arready(axil_arready),
    .s_axil_araddr(axil_araddr),
    .s_axil_arprot(axil_arprot),
    .s_axil_rvalid(axil_rvalid),
    .s_axil_rready(axil_rready),
    .s_axil_rdata(axil_rdata),
    .s_axil_rresp(axil_rresp)
  );

endmodule
