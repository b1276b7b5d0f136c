// SPDX-License-Identifier: Apache-2.0
// A CPU's Wishbone bus (classic cycles) to the AXI4-Lite of a link's registers, an access at a time. Each access ends with `wb_ack`. The CPU of
// this example does not look at errors, so `failed` keeps that there was one: an answer other than OKAY, as a register that does not exist gives.

module wishbone_to_axil (
  input  wire        aclk,
  input  wire        aresetn,
  output reg         failed,

  input  wire        wb_stb,  // and cyc, and the address is the link's
  input  wire        wb_we,
  input  wire [11:0] wb_adr,  // in bytes
  input  wire [31:0] wb_dat_w,
  input  wire [3:0]  wb_sel,
  output wire        wb_ack,
  output wire [31:0] wb_dat_r,

  output wire        m_axil_awvalid,
  input  wire        m_axil_awready,
  output wire [11:0] m_axil_awaddr,
  output wire [2:0]  m_axil_awprot,
  output wire        m_axil_wvalid,
  input  wire        m_axil_wready,
  output wire [31:0] m_axil_wdata,
  output wire [3:0]  m_axil_wstrb,
  input  wire        m_axil_bvalid,
  output wire        m_axil_bready,
  input  wire [1:0]  m_axil_bresp,
  output wire        m_axil_arvalid,
  input  wire        m_axil_arready,
  output wire [11:0] m_axil_araddr,
  output wire [2:0]  m_axil_arprot,
  input  wire        m_axil_rvalid,
  output wire        m_axil_rready,
  input  wire [31:0] m_axil_rdata,
  input  wire [1:0]  m_axil_rresp
);

  reg address_taken, data_taken;  // of the access that is under way

  assign m_axil_awvalid = wb_stb && wb_we && !address_taken;
  assign m_axil_awaddr  = wb_adr;
  assign m_axil_awprot  = 3'b000;
  assign m_axil_wvalid  = wb_stb && wb_we && !data_taken;
  assign m_axil_wdata   = wb_dat_w;
  assign m_axil_wstrb   = wb_sel;
  assign m_axil_bready  = 1'b1;
  assign m_axil_arvalid = wb_stb && !wb_we && !address_taken;
  assign m_axil_araddr  = wb_adr;
  assign m_axil_arprot  = 3'b000;
  assign m_axil_rready  = 1'b1;

  assign wb_ack   = m_axil_bvalid || m_axil_rvalid;
  assign wb_dat_r = m_axil_rdata;

  always @(posedge aclk)
    if (!aresetn) begin
      address_taken <= 1'b0;
      data_taken    <= 1'b0;
      failed        <= 1'b0;
    end else begin
      if ((m_axil_awvalid && m_axil_awready) || (m_axil_arvalid && m_axil_arready)) address_taken <= 1'b1;
      if (m_axil_wvalid && m_axil_wready) data_taken <= 1'b1;
      if (wb_ack) begin
        address_taken <= 1'b0;
        data_taken    <= 1'b0;
      end
      if ((m_axil_bvalid && m_axil_bresp != 2'b00) || (m_axil_rvalid && m_axil_rresp != 2'b00)) failed <= 1'b1;
    end

endmodule
