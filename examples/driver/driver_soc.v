// SPDX-License-Identifier: Apache-2.0
// A link end and the CPU that drives it: VexRiscv, RAM, and firmware with arqlink's driver. Any other CPU with a bus of 32 bits may take the
// place of VexRiscv; one that speaks AXI4-Lite needs no bridge.
//
//   00000000  RAM, 16 KiB: the firmware at its start, variables and stack at its end
//   80000000  the link's registers, 4 KiB. A second link would be at 80001000
//   90000000  `state`, `received`, `erased`: what the firmware says, see main.c
//
// Addresses that nothing has read as 0.

// What is left open: the CPU only reads instructions, and one word at a time; a packet of bytes needs no tkeep; the core never marks a unit that
// it sends, and always takes one that comes.
/* verilator lint_off PINCONNECTEMPTY */

`include "axil.vh"

module driver_soc #(
  parameter FIRMWARE = "firmware.hex"
) (
  input  wire        aclk,
  input  wire        aresetn,
  output wire        bus_failed,  // the firmware has accessed a register that does not exist
  output reg  [31:0] state,
  output reg  [31:0] received,
  output reg  [31:0] erased,

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

  // Units to and from the modem.
  output wire        m_axis_phy_tvalid,
  input  wire        m_axis_phy_tready,
  output wire [7:0]  m_axis_phy_tdata,
  output wire        m_axis_phy_tlast,
  input  wire        s_axis_phy_tvalid,
  input  wire [7:0]  s_axis_phy_tdata,
  input  wire        s_axis_phy_tlast,
  input  wire        s_axis_phy_tuser   // in any byte: the modem knows that the unit is bad
);

  // ---- The CPU. Its buses count in words, and a word's address stays until its ack.

  wire        i_cyc, i_stb, d_cyc, d_stb, d_we, irq;
  wire [29:0] d_adr;
  /* verilator lint_off UNUSEDSIGNAL */ // all of the program is in RAM
  wire [29:0] i_adr;
  /* verilator lint_on UNUSEDSIGNAL */
  wire [31:0] d_dat_w, d_dat_r;
  wire [3:0]  d_sel;
  wire        d_ack;
  reg         i_ack;
  reg  [31:0] i_dat;

  VexRiscv cpu (
    .clk(aclk), .reset(!aresetn), .externalResetVector(32'h00000000),
    .timerInterrupt(1'b0), .softwareInterrupt(1'b0), .externalInterruptArray({31'd0, irq}),
    .iBusWishbone_CYC(i_cyc), .iBusWishbone_STB(i_stb), .iBusWishbone_ADR(i_adr), .iBusWishbone_ACK(i_ack), .iBusWishbone_DAT_MISO(i_dat),
    .iBusWishbone_WE(), .iBusWishbone_DAT_MOSI(), .iBusWishbone_SEL(), .iBusWishbone_ERR(1'b0), .iBusWishbone_CTI(), .iBusWishbone_BTE(),
    .dBusWishbone_CYC(d_cyc), .dBusWishbone_STB(d_stb), .dBusWishbone_ADR(d_adr), .dBusWishbone_ACK(d_ack), .dBusWishbone_DAT_MISO(d_dat_r),
    .dBusWishbone_WE(d_we), .dBusWishbone_DAT_MOSI(d_dat_w), .dBusWishbone_SEL(d_sel), .dBusWishbone_ERR(1'b0),
    .dBusWishbone_CTI(), .dBusWishbone_BTE()
  );

  // ---- Who answers the data bus: the link when it has an answer, all others in the clock after

  wire        access    = d_cyc && d_stb;
  wire        is_ram    = d_adr[29:12] == 18'd0;
  wire        is_link   = d_adr[29:10] == 20'h80000;
  wire        is_report = d_adr[29:2] == 28'h9000000;
  wire        link_ack;
  wire [31:0] link_dat_r;
  reg         other_ack;
  reg  [31:0] ram_dat_r;
  wire        other  = access && !is_link && !other_ack;
  wire        writes = other && d_we;
  assign d_ack   = is_link ? link_ack : other_ack;
  assign d_dat_r = is_link ? link_dat_r : is_ram ? ram_dat_r : 32'd0;

  always @(posedge aclk) begin
    i_ack     <= aresetn && i_cyc && i_stb && !i_ack;
    other_ack <= aresetn && other;
  end

  // ---- RAM: a port for each bus

  (* no_rw_check *) // what a write reads is not used
  reg [31:0] ram [0:4095];
  initial $readmemh(FIRMWARE, ram);

  always @(posedge aclk) i_dat <= ram[i_adr[11:0]];

  always @(posedge aclk) begin
    ram_dat_r <= ram[d_adr[11:0]];
    if (writes && is_ram) begin
      if (d_sel[0]) ram[d_adr[11:0]][7:0]   <= d_dat_w[7:0];
      if (d_sel[1]) ram[d_adr[11:0]][15:8]  <= d_dat_w[15:8];
      if (d_sel[2]) ram[d_adr[11:0]][23:16] <= d_dat_w[23:16];
      if (d_sel[3]) ram[d_adr[11:0]][31:24] <= d_dat_w[31:24];
    end
  end

  // ---- What the firmware says

  always @(posedge aclk)
    if (!aresetn) begin
      state    <= 32'd0;
      received <= 32'd0;
      erased   <= 32'd0;
    end else if (writes && is_report)
      case (d_adr[1:0])
        2'd0: state <= d_dat_w;
        2'd1: received <= d_dat_w;
        2'd2: erased <= d_dat_w;
        default: ;
      endcase

  // ---- The link. After reset it comes up by itself, with the settings that it is built with. The firmware takes it down to set it up anew, and
  // what is in it is lost by that, at both ends. So until the firmware has done it packets wait, and the link hears nothing and is not up.

  wire ready = state != 32'd0 && !state[31];
  wire link_tready;
  assign s_axis_tready = link_tready && ready;

  `AXIL_WIRES(axil)

  wishbone_to_axil bridge (
    .aclk(aclk), .aresetn(aresetn), .failed(bus_failed),
    .wb_stb(access && is_link), .wb_we(d_we), .wb_adr({d_adr[9:0], 2'b00}), .wb_dat_w(d_dat_w), .wb_sel(d_sel),
    .wb_ack(link_ack), .wb_dat_r(link_dat_r),
    `AXIL_CONNECT(m_axil, axil)
  );

  arqlink_tiny link (
    .aclk(aclk),
    .aresetn(aresetn),
    .phy_up(1'b1),
    .irq(irq),
    .s_axis_tvalid(s_axis_tvalid && ready),
    .s_axis_tready(link_tready),
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
    .m_axis_phy_tvalid(m_axis_phy_tvalid),
    .m_axis_phy_tready(m_axis_phy_tready),
    .m_axis_phy_tdata(m_axis_phy_tdata),
    .m_axis_phy_tlast(m_axis_phy_tlast),
    .m_axis_phy_tuser(),
    .s_axis_phy_tvalid(s_axis_phy_tvalid && ready),
    .s_axis_phy_tready(),
    .s_axis_phy_tdata(s_axis_phy_tdata),
    .s_axis_phy_tlast(s_axis_phy_tlast),
    .s_axis_phy_tuser(s_axis_phy_tuser),
    `AXIL_CONNECT(s_axil, axil)
  );

endmodule
