// SPDX-License-Identifier: Apache-2.0
// Frames from one MAC to another, over two links whose modems are each other's and lose one unit of nine. Of FRAMES frames some are bad, some too
// short and some too long for the link; all others have to arrive, in sequence and byte for byte.

module ethernet_link_tb;

  parameter FRAMES = 8;  // one of each kind
  localparam [31:0] LIMIT = 200000;  // clocks

  reg aclk = 1'b0, aresetn = 1'b0;
  always #5 aclk = !aclk;

  // What a frame is follows from its number.
  function [11:0] length(input integer frame);
    case (frame % 8)
      2: length = 1;        // shorter than a header
      3: length = 13;
      4: length = 1518;     // the longest
      5: length = 1519;     // too long for the link
      default: length = 14 + (frame * 53) % 400;
    endcase
  endfunction
  function is_bad(input integer frame);
    is_bad = frame % 8 == 6;
  endfunction
  function arrives(input integer frame);
    arrives = !is_bad(frame) && length(frame) >= 14 && length(frame) <= 1518;
  endfunction
  function [7:0] content(input integer frame, input integer place);
    content = frame * 37 + place * 11 + 5;
  endfunction

  // ---- The sending MAC: a byte in every fourth clock
  integer clocks = 0, sent = 0, sent_bytes = 0, expected = 0, dropped = 0;
  wire       rx_valid = aresetn && sent < FRAMES && clocks % 4 == 0;
  wire       rx_last  = sent_bytes == length(sent) - 1;
  always @(posedge aclk) if (rx_valid) begin
    sent_bytes <= rx_last ? 0 : sent_bytes + 1;
    if (rx_last) begin
      sent <= sent + 1;
      if (arrives(sent)) expected <= expected + 1;
      if (is_bad(sent) || length(sent) < 14) dropped <= dropped + 1;
    end
  end

  // ---- The receiving MAC
  integer received = 0, received_bytes = 0, frame = 0, wrong = 0;
  wire       tx_valid, tx_last;
  wire [7:0] tx_data;
  always @(posedge aclk)
    if (!arrives(frame)) frame <= frame + 1;
    else if (tx_valid) begin
      if (tx_data !== content(frame, received_bytes) || tx_last !== (received_bytes == length(frame) - 1)) wrong <= wrong + 1;
      received_bytes <= tx_last ? 0 : received_bytes + 1;
      if (tx_last) begin
        received <= received + 1;
        frame    <= frame + 1;
      end
    end

  // ---- Two links and what is between their modems
  wire [1:0]  up, failed, irq, phy_valid, phy_last;
  wire [15:0] phy_data;
  wire [63:0] rx_dropped, tx_dropped;
  integer     unit_number = 0;
  wire        is_lost = unit_number % 9 == 8;
  always @(posedge aclk) if (phy_valid[0] && phy_last[0]) unit_number <= unit_number + 1;

  ethernet_link from (
    .aclk(aclk), .aresetn(aresetn), .up(up[0]), .failed(failed[0]), .irq(irq[0]), .rx_dropped(rx_dropped[31:0]), .tx_dropped(tx_dropped[31:0]),
    .mac_rx_tvalid(rx_valid), .mac_rx_tdata(content(sent, sent_bytes)), .mac_rx_tlast(rx_last), .mac_rx_tuser(rx_last && is_bad(sent)),
    .mac_tx_tvalid(), .mac_tx_tready(1'b1), .mac_tx_tdata(), .mac_tx_tlast(),
    .m_axis_phy_tvalid(phy_valid[0]), .m_axis_phy_tready(1'b1), .m_axis_phy_tdata(phy_data[7:0]), .m_axis_phy_tlast(phy_last[0]),
    .s_axis_phy_tvalid(phy_valid[1]), .s_axis_phy_tdata(phy_data[15:8]), .s_axis_phy_tlast(phy_last[1]), .s_axis_phy_tuser(1'b0)
  );

  ethernet_link to (
    .aclk(aclk), .aresetn(aresetn), .up(up[1]), .failed(failed[1]), .irq(irq[1]), .rx_dropped(rx_dropped[63:32]), .tx_dropped(tx_dropped[63:32]),
    .mac_rx_tvalid(1'b0), .mac_rx_tdata(8'd0), .mac_rx_tlast(1'b0), .mac_rx_tuser(1'b0),
    .mac_tx_tvalid(tx_valid), .mac_tx_tready(arrives(frame)), .mac_tx_tdata(tx_data), .mac_tx_tlast(tx_last),
    .m_axis_phy_tvalid(phy_valid[1]), .m_axis_phy_tready(1'b1), .m_axis_phy_tdata(phy_data[15:8]), .m_axis_phy_tlast(phy_last[1]),
    .s_axis_phy_tvalid(phy_valid[0] && !is_lost), .s_axis_phy_tdata(phy_data[7:0]), .s_axis_phy_tlast(phy_last[0]), .s_axis_phy_tuser(1'b0)
  );

  wire all_came = sent == FRAMES && received == expected;
  always @(posedge aclk) begin
    clocks  <= clocks + 1;
    aresetn <= clocks >= 20;
    if (all_came || clocks == LIMIT || failed != 2'b00 || wrong != 0) begin
      $display("%0d of %0d good frames arrived in %0d clocks, %0d bytes wrong, %0d of %0d bad or short ones dropped: %0s", received, expected, clocks,
        wrong, rx_dropped[31:0], dropped, all_came && wrong == 0 && rx_dropped[31:0] == dropped && tx_dropped == 64'd0 ? "PASSED" : "FAILED");
      $finish;
    end
  end

endmodule
