// SPDX-License-Identifier: Apache-2.0
// A link over a line that carries bytes and knows no packets: UART, FIFO to a USB or radio chip, SERDES that is aligned to bytes. Module
// arqlink_tiny_byte_stream has the PHY framer inside: it sends each unit in COBS with a byte 00 behind it, and finds the units of the peer again
// at the next 00, whatever the line has done to bytes before.
//
// To connect a line that waits for bytes, such as a UART: m_axis_byte_* with tvalid and tready. A line that takes a byte in each clock: tready
// tied high, and tdata whatever tvalid says, as it is 00 in pauses. From the line come at most a byte a clock, and nothing holds them back.
// `s_axis_byte_tuser`: the line knows that this byte is wrong, such as a UART without its stop bit; low if it never knows.

/* verilator lint_off PINCONNECTEMPTY */ // `up` says more than `ready`; a packet of bytes needs no tkeep

`include "axil.vh"

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

  `AXIL_WIRES(axil)

  // K = 4, N = 6, persistency infinite.
  arqlink_bring_up #(.CODE(32'h00060604), .ARQ(32'h0000030F)) bring_up (
    .aclk(aclk), .aresetn(aresetn), .ready(), .up(up), .failed(failed),
    `AXIL_CONNECT(m_axil, axil)
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
    `AXIL_CONNECT(s_axil, axil)
  );

endmodule
