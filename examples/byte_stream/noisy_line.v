// SPDX-License-Identifier: Apache-2.0
// One way of a line of bytes, for the test bench. Each FLIP_PERIOD-th byte arrives with a bit flipped, and after each GARBAGE_PERIOD bytes
// GARBAGE_BYTES random ones arrive, none of them 00, so that nothing in them looks like the end of a unit.
//
// CONTINUOUS = 1, a SERDES: it takes a byte in each clock, has no pauses, and what is sent during garbage is lost.
// CONTINUOUS = 0, a UART: a byte in each fourth clock, silence in pauses; garbage comes between bytes, and flipped ones are marked as wrong.

module noisy_line #(
  parameter CONTINUOUS     = 1,
  parameter FLIP_PERIOD    = 149,
  parameter GARBAGE_PERIOD = 1201,
  parameter GARBAGE_BYTES  = 100
) (
  input  wire       aclk,
  input  wire       aresetn,
  output wire       garbage,  // high while it arrives
  output reg [31:0] flips,
  output reg [31:0] runs,     // of garbage

  input  wire       s_tvalid,
  output wire       s_tready,
  input  wire [7:0] s_tdata,
  output reg        m_tvalid,
  output reg  [7:0] m_tdata,
  output reg        m_tuser
);

  reg [1:0]  clock;
  reg [15:0] noise;
  reg [31:0] to_flip, to_garbage, garbage_left;

  wire slot   = CONTINUOUS != 0 || clock == 2'd0;
  wire passes = slot && !garbage && (CONTINUOUS != 0 || s_tvalid);
  wire flip   = passes && to_flip == 32'd1;
  assign garbage  = garbage_left != 32'd0;
  assign s_tready = CONTINUOUS != 0 || (slot && !garbage);

  always @(posedge aclk) begin
    clock    <= clock + 2'd1;
    noise    <= {noise[14:0], noise[15] ^ noise[13] ^ noise[12] ^ noise[10]};
    m_tvalid <= passes || (slot && garbage);
    m_tuser  <= flip && CONTINUOUS == 0;
    m_tdata  <= garbage ? (noise[7:0] == 8'd0 ? 8'hFF : noise[7:0]) : s_tdata ^ (flip ? 8'd1 << noise[2:0] : 8'd0);
    if (passes) begin
      to_flip    <= flip ? FLIP_PERIOD : to_flip - 32'd1;
      to_garbage <= to_garbage == 32'd1 ? GARBAGE_PERIOD : to_garbage - 32'd1;
      if (flip) flips <= flips + 32'd1;
      if (to_garbage == 32'd1) begin
        garbage_left <= GARBAGE_BYTES;
        runs         <= runs + 32'd1;
      end
    end
    if (slot && garbage) garbage_left <= garbage_left - 32'd1;
    if (!aresetn) begin
      clock        <= 2'd0;
      noise        <= 16'hACE1;
      to_flip      <= FLIP_PERIOD;
      to_garbage   <= GARBAGE_PERIOD;
      garbage_left <= 32'd0;
      flips        <= 32'd0;
      runs         <= 32'd0;
      m_tvalid     <= 1'b0;
    end
  end

endmodule
