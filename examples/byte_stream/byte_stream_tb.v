// SPDX-License-Identifier: Apache-2.0
// PACKETS packets of 1 to 97 bytes cross a line that flips bits and now and then is full of garbage, both ways. They have to arrive, in sequence and
// byte for byte. After each run of garbage the receiver has to find the units again: the run leaves the framer as one unit that is too long, and
// packets arrive before the next run.

module byte_stream_tb;

  parameter PACKETS = 60;
  localparam [31:0] LIMIT = 200000;  // clocks

  reg aclk = 1'b0, aresetn = 1'b0;
  always #5 aclk = !aclk;

  // A packet's length, and its bytes, follow from its number.
  function [31:0] length(input [31:0] packet);
    length = 1 + (packet * 29) % 97;
  endfunction
  function [7:0] content(input [31:0] packet, input [31:0] place);
    content = packet[7:0] * 8'd37 + place[7:0] * 8'd11 + 8'd5;
  endfunction

  // ---- Packets into the near end
  integer sent = 0, sent_bytes = 0;
  wire       in_ready;
  wire       in_valid = aresetn && sent < PACKETS;
  wire [7:0] in_data  = content(sent, sent_bytes);
  wire       in_last  = sent_bytes == length(sent) - 1;
  always @(posedge aclk) if (in_valid && in_ready) begin
    sent_bytes <= in_last ? 0 : sent_bytes + 1;
    if (in_last) sent <= sent + 1;
  end

  // ---- Packets out of the far end
  integer received = 0, received_bytes = 0, wrong = 0;
  wire       out_valid, out_last, out_cut;
  wire [7:0] out_data;
  always @(posedge aclk) if (out_valid) begin
    if (out_data !== content(received, received_bytes) || out_last !== (received_bytes == length(received) - 1) || out_cut) wrong <= wrong + 1;
    received_bytes <= out_last ? 0 : received_bytes + 1;
    if (out_last) received <= received + 1;
  end

  // ---- The line: without pauses from the near end to the far one, a slow one with pauses back
  wire [1:0]  byte_valid, line_valid, line_wrong, garbage;  // bit 0: from the near end
  wire        back_ready;
  wire [15:0] byte_data, line_data;
  wire [63:0] flips, runs;

  noisy_line #(.CONTINUOUS(1), .GARBAGE_PERIOD(2003)) there (
    .aclk(aclk), .aresetn(aresetn), .garbage(garbage[0]), .flips(flips[31:0]), .runs(runs[31:0]),
    .s_tvalid(byte_valid[0]), .s_tready(), .s_tdata(byte_data[7:0]),
    .m_tvalid(line_valid[0]), .m_tdata(line_data[7:0]), .m_tuser(line_wrong[0])
  );

  noisy_line #(.CONTINUOUS(0), .GARBAGE_PERIOD(401)) back (
    .aclk(aclk), .aresetn(aresetn), .garbage(garbage[1]), .flips(flips[63:32]), .runs(runs[63:32]),
    .s_tvalid(byte_valid[1]), .s_tready(back_ready), .s_tdata(byte_data[15:8]),
    .m_tvalid(line_valid[1]), .m_tdata(line_data[15:8]), .m_tuser(line_wrong[1])
  );

  // ---- The two ends; [31:0] of the counts is the near end's
  wire [1:0]  up, failed, irq;
  wire [63:0] cut_units, too_long_units, bad_byte_units;

  byte_stream_link near_end (
    .aclk(aclk), .aresetn(aresetn), .up(up[0]), .failed(failed[0]), .irq(irq[0]),
    .cut_units(cut_units[31:0]), .too_long_units(too_long_units[31:0]), .bad_byte_units(bad_byte_units[31:0]),
    .s_axis_tvalid(in_valid), .s_axis_tready(in_ready), .s_axis_tdata(in_data), .s_axis_tlast(in_last),
    .m_axis_tvalid(), .m_axis_tready(1'b1), .m_axis_tdata(), .m_axis_tlast(), .m_axis_tuser(),
    .m_axis_byte_tvalid(byte_valid[0]), .m_axis_byte_tready(1'b1), .m_axis_byte_tdata(byte_data[7:0]),
    .s_axis_byte_tvalid(line_valid[1]), .s_axis_byte_tdata(line_data[15:8]), .s_axis_byte_tuser(line_wrong[1])
  );

  byte_stream_link far_end (
    .aclk(aclk), .aresetn(aresetn), .up(up[1]), .failed(failed[1]), .irq(irq[1]),
    .cut_units(cut_units[63:32]), .too_long_units(too_long_units[63:32]), .bad_byte_units(bad_byte_units[63:32]),
    .s_axis_tvalid(1'b0), .s_axis_tready(), .s_axis_tdata(8'd0), .s_axis_tlast(1'b0),
    .m_axis_tvalid(out_valid), .m_axis_tready(1'b1), .m_axis_tdata(out_data), .m_axis_tlast(out_last), .m_axis_tuser(out_cut),
    .m_axis_byte_tvalid(byte_valid[1]), .m_axis_byte_tready(back_ready), .m_axis_byte_tdata(byte_data[15:8]),
    .s_axis_byte_tvalid(line_valid[0]), .s_axis_byte_tdata(line_data[7:0]), .s_axis_byte_tuser(line_wrong[0])
  );

  // ---- Runs of garbage to the far end, and those after which packets went on
  integer over = 0, overcome = 0, stuck = 0;
  reg     was_garbage = 1'b0, waits = 1'b0;
  always @(posedge aclk) begin
    was_garbage <= garbage[0];
    if (was_garbage && !garbage[0]) begin
      over  <= over + 1;
      waits <= 1'b1;
      if (waits) stuck <= stuck + 1;
    end else if (waits && out_valid && out_last) begin
      overcome <= overcome + 1;
      waits    <= 1'b0;
    end
  end

  wire all_came = received == PACKETS && wrong == 0 && up == 2'b11;
  wire resynchronized = overcome > 4 && stuck == 0 && too_long_units[63:32] >= overcome;
  wire both_ways = runs[63:32] > 2 && too_long_units[31:0] > 2 && bad_byte_units[31:0] > 0;  // the slow way back had its share

  integer clocks = 0;
  always @(posedge aclk) begin
    clocks <= clocks + 1;
    aresetn <= clocks >= 20;
    if (received == PACKETS || clocks == LIMIT || failed != 2'b00 || wrong != 0) begin
      $display("%0d of %0d packets arrived in %0d clocks, %0d bytes wrong, up %b, failed %b", received, PACKETS, clocks, wrong, up, failed);
      $display("near to far: %0d bits flipped, packets went on after %0d of %0d runs of garbage, %0d units too long, %0d cut", flips[31:0], overcome,
        over, too_long_units[63:32], cut_units[63:32]);
      $display("far to near: %0d bits flipped, %0d runs of garbage, %0d units too long, %0d cut, %0d with a bad byte: %0s", flips[63:32], runs[63:32],
        too_long_units[31:0], cut_units[31:0], bad_byte_units[31:0], all_came && resynchronized && both_ways ? "PASSED" : "FAILED");
      $finish;
    end
  end

endmodule
