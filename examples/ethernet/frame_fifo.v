// SPDX-License-Identifier: Apache-2.0
// Store-and-forward FIFO of whole frames, a byte a clock. A frame leaves when its last byte has come. It is dropped whole, and counted, if a
// byte of it has `s_tuser`, if it is shorter than MIN_BYTES, or if it finds no room.

module frame_fifo #(
  parameter ADDRESS_BITS = 12,  // 2^ADDRESS_BITS bytes
  parameter MIN_BYTES    = 14,  // an Ethernet header
  parameter WAITS        = 0    // 1: the source waits for room, and only a frame that is longer than the FIFO finds none
) (
  input  wire        clk,
  input  wire        resetn,
  input  wire        s_tvalid,
  output wire        s_tready,
  input  wire [7:0]  s_tdata,
  input  wire        s_tlast,
  input  wire        s_tuser,
  output reg         m_tvalid,
  input  wire        m_tready,
  output reg  [7:0]  m_tdata,
  output reg         m_tlast,
  output reg  [31:0] dropped
);

  localparam [ADDRESS_BITS:0] ONE = 1, FULL = ONE << ADDRESS_BITS;

  reg [8:0] memory [0:(1 << ADDRESS_BITS) - 1];

  // The open frame is between `complete` and `next`; what is between `oldest` and `complete` may leave.
  reg [ADDRESS_BITS:0] oldest, complete, next;
  reg                  bad;  // the open frame will be dropped

  wire [ADDRESS_BITS:0] after    = next + ONE;
  wire [ADDRESS_BITS:0] bytes    = after - complete;  // of the open frame, with this byte
  wire                  has_room = next - oldest != FULL;
  wire                  is_short = {{31 - ADDRESS_BITS{1'b0}}, bytes} < MIN_BYTES;
  wire                  is_bad   = bad || s_tuser || !has_room;

  assign s_tready = WAITS == 0 || has_room || bad || oldest == complete;

  always @(posedge clk) begin
    if (s_tvalid && s_tready) begin
      if (!is_bad) memory[next[ADDRESS_BITS-1:0]] <= {s_tlast, s_tdata};
      if (!s_tlast) begin
        if (!is_bad) next <= after;
        bad <= is_bad;
      end else begin
        bad <= 1'b0;
        if (is_bad || is_short) begin
          next    <= complete;
          dropped <= dropped + 32'd1;
        end else begin
          next     <= after;
          complete <= after;
        end
      end
    end

    if (!m_tvalid || m_tready) begin
      m_tvalid <= oldest != complete;
      {m_tlast, m_tdata} <= memory[oldest[ADDRESS_BITS-1:0]];
      if (oldest != complete) oldest <= oldest + ONE;
    end

    if (!resetn) begin
      oldest   <= 0;
      complete <= 0;
      next     <= 0;
      bad      <= 1'b0;
      m_tvalid <= 1'b0;
      dropped  <= 32'd0;
    end
  end

endmodule
