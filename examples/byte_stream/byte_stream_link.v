// SPDX-License-Identifier: Apache-2.0
// A link over a line that carries bytes and knows no packets: UART, FIFO to a USB or radio chip, SERDES that is aligned to bytes. Module
// arqlink_tiny_byte_stream has the PHY framer inside: it sends each unit in COBS with a byte 00 behind it, and finds the units of the peer again
// at the next 00, whatever the line has done to bytes before.
//
// To connect a line that waits for bytes, such as a UART: m_axis_byte_* with tvalid and tready. A line that takes a byte in each clock: tready
// tied high, and tdata whatever tvalid says, as it is 00 in pauses. From the line come at most a byte a clock, and nothing holds them back.
// `s_axis_byte_tuser`: the line knows that this byte is wrong, such as a UART without its stop bit; low if it never knows.

/* verilator lint_off PINCONNECTEMPTY */ // `up` says more than `ready`; a packet of bytes needs no tkeep

module byte_stream_link (
  input  wire        aclk,
  input  wire        aresetn,
  output wire        up,
  output wire        failed,
  output wire        irq,

  // Units that the framer has marked as bad, by reason. Where all goes well they stand still; a line that has lost its alignment shows in them.
  output reg  [31:0] cut_units,       // they end where no unit ends
  output reg  [31:0] too_long_units,
  output reg  [31:0] bad_byte_units,  // with s_axis_byte_tuser

  // Packets, a byte a clock.
  input  wire        s_axis_tvalid,
  output wire        s_axis_tready,
  input  wire [7:0]  s_axis_tdata,
  input  wire        s_axis_tlast,
  output wire        m_axis_tvalid,
  input  wire        m_axis_tready,
  output wire [7:0]  m_axis_tdata,
  output wire        m_axis_tlast,
  output wire        m_axis_tuser,

  // The line.
  output wire        m_axis_byte_tvalid,
  input  wire        m_axis_byte_tready,
  output wire [7:0]  m_axis_byte_tdata,
  input  wire        s_axis_byte_tvalid,
  input  wire [7:0]  s_axis_byte_tdata,
  input  wire        s_axis_byte_tuser
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

  // K = 4, N = 6, persistency infinite.
  arqlink_bring_up #(.CODE(32'h00060604), .ARQ(32'h0000030F)) bring_up (
    .aclk(aclk), .aresetn(aresetn), .ready(), .up(up), .failed(failed),
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

  wire phy_cut, phy_too_long, phy_bad_byte;  // high for a clock for each such unit
  always @(posedge aclk)
    if (!aresetn) begin
      cut_units      <= 32'd0;
      too_long_units <= 32'd0;
      bad_byte_units <= 32'd0;
    end else begin
      if (phy_cut)      cut_units      <= cut_units + 32'd1;
      if (phy_too_long) too_long_units <= too_long_units + 32'd1;
      if (phy_bad_byte) bad_byte_units <= bad_byte_units + 32'd1;
    end

  arqlink_tiny_byte_stream link (
    .aclk(aclk),
    .aresetn(aresetn),
    .phy_up(1'b1),
    .irq(irq),
    .phy_cut(phy_cut),
    .phy_too_long(phy_too_long),
    .phy_bad_byte(phy_bad_byte),
    .s_axis_tvalid(s_axis_tvalid),
    .s_axis_tready(s_axis_tready),
    .s_axis_tdata(s_axis_tdata),
    .s_axis_tkeep(1'b1),
    .s_axis_tlast(s_axis_tlast),
    .s_axis_tuser(1'b0),
    .m_axis_tvalid(m_axis_tvalid),
    .m_axis_tready(m_axis_tready),
    .m_axis_tdata(m_axis_tdata),
    .m_axis_tkeep(),
    .m_axis_tlast(m_axis_tlast),
    .m_axis_tuser(m_axis_tuser),
    .m_axis_byte_tvalid(m_axis_byte_tvalid),
    .m_axis_byte_tready(m_axis_byte_tready),
    .m_axis_byte_tdata(m_axis_byte_tdata),
    .s_axis_byte_tvalid(s_axis_byte_tvalid),
    .s_axis_byte_tdata(s_axis_byte_tdata),
    .s_axis_byte_tuser(s_axis_byte_tuser),
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
