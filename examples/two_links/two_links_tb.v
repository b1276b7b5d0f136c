// SPDX-License-Identifier: Apache-2.0
// The modems of the two links are each other's: what link 0 sends, link 1 receives. One unit of nine gets lost on the way from 0 to 1, and none
// on the way back. PACKETS packets of 1 to 97 bytes have to arrive, in sequence and byte for byte.
module two_links_tb;

  parameter PACKETS = 40;
  localparam [31:0] LIMIT = 200000;  // clocks

  reg aclk = 1'b0, aresetn = 1'b0;
  always #5 aclk = !aclk;

  wire [1:0] up, failed, irq;

  // A packet's length, and its bytes, follow from its number.
  function [6:0] length(input integer packet);
    length = 1 + (packet * 29) % 97;
  endfunction
  function [7:0] content(input integer packet, input integer place);
    content = packet * 37 + place * 11 + 5;
  endfunction

  // ---- Packets into link 0
  integer sent = 0, sent_bytes = 0;
  wire       in_ready;
  wire       in_valid = aresetn && sent < PACKETS;
  wire [7:0] in_data  = content(sent, sent_bytes);
  wire       in_last  = sent_bytes == length(sent) - 1;
  always @(posedge aclk) if (in_valid && in_ready) begin
    sent_bytes <= in_last ? 0 : sent_bytes + 1;
    if (in_last) sent <= sent + 1;
  end

  // ---- The way from link 0 to link 1
  wire       phy_valid, phy_last, back_valid, back_last;
  wire [7:0] phy_data, back_data;
  integer    unit_number = 0, lost = 0;
  wire       is_lost = unit_number % 9 == 8;
  always @(posedge aclk) if (phy_valid && phy_last) begin
    unit_number <= unit_number + 1;
    if (is_lost) lost <= lost + 1;
  end

  // ---- Packets out of link 1
  integer received = 0, received_bytes = 0, wrong = 0;
  wire       out_valid, out_last, out_cut;
  wire [7:0] out_data;
  always @(posedge aclk) if (out_valid) begin
    if (out_data !== content(received, received_bytes) || out_last !== (received_bytes == length(received) - 1) || out_cut) wrong <= wrong + 1;
    received_bytes <= out_last ? 0 : received_bytes + 1;
    if (out_last) received <= received + 1;
  end

  two_links dut (
    .aclk(aclk), .aresetn(aresetn), .up(up), .failed(failed), .irq(irq),
    .s0_axis_tvalid(in_valid), .s0_axis_tready(in_ready), .s0_axis_tdata(in_data), .s0_axis_tlast(in_last),
    .m0_axis_tvalid(), .m0_axis_tready(1'b1), .m0_axis_tdata(), .m0_axis_tlast(), .m0_axis_tuser(),
    .s1_axis_tvalid(1'b0), .s1_axis_tready(), .s1_axis_tdata(8'd0), .s1_axis_tlast(1'b0),
    .m1_axis_tvalid(out_valid), .m1_axis_tready(1'b1), .m1_axis_tdata(out_data), .m1_axis_tlast(out_last), .m1_axis_tuser(out_cut),
    .m0_axis_phy_tvalid(phy_valid), .m0_axis_phy_tready(1'b1), .m0_axis_phy_tdata(phy_data), .m0_axis_phy_tlast(phy_last),
    .s0_axis_phy_tvalid(back_valid), .s0_axis_phy_tdata(back_data), .s0_axis_phy_tlast(back_last), .s0_axis_phy_tuser(1'b0),
    .m1_axis_phy_tvalid(back_valid), .m1_axis_phy_tready(1'b1), .m1_axis_phy_tdata(back_data), .m1_axis_phy_tlast(back_last),
    .s1_axis_phy_tvalid(phy_valid && !is_lost), .s1_axis_phy_tdata(phy_data), .s1_axis_phy_tlast(phy_last), .s1_axis_phy_tuser(1'b0)
  );

  integer clocks = 0;
  always @(posedge aclk) begin
    clocks <= clocks + 1;
    aresetn <= clocks >= 20;
    if (received == PACKETS || clocks == LIMIT || failed != 2'b00 || wrong != 0) begin
      $display("%0d of %0d packets arrived in %0d clocks, %0d bytes wrong, %0d of %0d units lost, up %b, failed %b: %0s",
        received, PACKETS, clocks, wrong, lost, unit_number, up, failed,
        received == PACKETS && wrong == 0 && lost > 0 && up == 2'b11 ? "PASSED" : "FAILED");
      $finish;
    end
  end

endmodule
