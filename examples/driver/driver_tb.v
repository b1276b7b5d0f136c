// SPDX-License-Identifier: Apache-2.0
// Two SoCs whose modems are each other's; the far one is switched on later. Its modem marks one unit of seven as bad. PACKETS packets of 1 to 97
// bytes have to arrive, in sequence and byte for byte, and the far CPU has to count as many packets and bad units as there were.

module driver_tb;

  parameter PACKETS = 50;
  localparam [31:0] LIMIT = 200000;  // clocks

  reg aclk = 1'b0, aresetn = 1'b0, far_aresetn = 1'b0;
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

  wire [1:0]  bus_failed;  // bit 0 and [31:0]: the near end's
  wire [63:0] state, counted, erased;

  // ---- The way to the far end, with losses from when the far CPU says that the link is up until all packets are there
  wire       phy_valid, phy_last, back_valid, back_last;
  wire [7:0] phy_data, back_data;
  integer    unit_number = 0, bad = 0;
  reg        in_unit = 1'b0, is_bad = 1'b0;  // a unit has begun; it is bad
  wire       marked = in_unit ? is_bad : unit_number % 7 == 6 && state[63:32] == 2 && received < PACKETS;
  always @(posedge aclk) if (phy_valid) begin
    in_unit <= !phy_last;
    is_bad <= marked;
    if (phy_last) begin
      unit_number <= unit_number + 1;
      if (marked) bad <= bad + 1;
    end
  end

  driver_soc near_end (
    .aclk(aclk), .aresetn(aresetn), .bus_failed(bus_failed[0]), .state(state[31:0]), .received(counted[31:0]), .erased(erased[31:0]),
    .s_axis_tvalid(in_valid), .s_axis_tready(in_ready), .s_axis_tdata(in_data), .s_axis_tlast(in_last),
    .m_axis_tvalid(), .m_axis_tready(1'b1), .m_axis_tdata(), .m_axis_tlast(), .m_axis_tuser(),
    .m_axis_phy_tvalid(phy_valid), .m_axis_phy_tready(1'b1), .m_axis_phy_tdata(phy_data), .m_axis_phy_tlast(phy_last),
    .s_axis_phy_tvalid(back_valid), .s_axis_phy_tdata(back_data), .s_axis_phy_tlast(back_last), .s_axis_phy_tuser(1'b0)
  );

  driver_soc far_end (
    .aclk(aclk), .aresetn(far_aresetn), .bus_failed(bus_failed[1]), .state(state[63:32]), .received(counted[63:32]), .erased(erased[63:32]),
    .s_axis_tvalid(1'b0), .s_axis_tready(), .s_axis_tdata(8'd0), .s_axis_tlast(1'b0),
    .m_axis_tvalid(out_valid), .m_axis_tready(1'b1), .m_axis_tdata(out_data), .m_axis_tlast(out_last), .m_axis_tuser(out_cut),
    .m_axis_phy_tvalid(back_valid), .m_axis_phy_tready(1'b1), .m_axis_phy_tdata(back_data), .m_axis_phy_tlast(back_last),
    .s_axis_phy_tvalid(phy_valid), .s_axis_phy_tdata(phy_data), .s_axis_phy_tlast(phy_last), .s_axis_phy_tuser(marked)
  );

  wire all_counted = received == PACKETS && counted[63:32] == PACKETS && erased[63:32] == bad;
  wire failed      = state[31] || state[63] || bus_failed != 2'b00 || wrong != 0;

  integer clocks = 0;
  always @(posedge aclk) begin
    clocks  <= clocks + 1;
    aresetn <= clocks >= 20;
    far_aresetn <= clocks >= 3000;
    if (all_counted || failed || clocks == LIMIT) begin
      $display("%0d of %0d packets arrived in %0d clocks, %0d bytes wrong, %0d of %0d units bad; counted %0d and %0d, states %0d and %0d: %0s",
        received, PACKETS, clocks, wrong, bad, unit_number, counted[63:32], erased[63:32], $signed(state[31:0]), $signed(state[63:32]),
        all_counted && !failed && bad > 4 && state == 64'h00000002_00000002 ? "PASSED" : "FAILED");
      $finish;
    end
  end

endmodule
