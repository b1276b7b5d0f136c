// SPDX-License-Identifier: Apache-2.0
// Sets up a link end without a CPU: writes timers, code and ARQ over AXI4-Lite, applies them, and then watches the link.
//
// Values are those of the registers (registers.md); timers are in clocks of aclk. The defaults are for a round trip of 2000 clocks.
// `ready`: the settings are active. `up`: the peer has answered. `failed`: this is no arqlink, it refused a value, or an access was answered
// with an error; nothing more is done until a reset.

module arqlink_bring_up #(
  parameter [31:0] CODE            = 32'h00060604,  // K = 4, N = 6 for first transmissions and for retransmissions
  parameter [31:0] ARQ             = 32'h0000030F,  // persistency infinite, packets in sequence, outages do not count
  parameter [31:0] POLL_TIMEOUT    = 32'd4000,
  parameter [31:0] HELLO_INTERVAL  = 32'd500,
  parameter [31:0] KEEPALIVE       = 32'd4000,
  parameter [31:0] OUTAGE_TIMEOUT  = 32'd16000,
  parameter [31:0] STATUS_INTERVAL = 32'd0,
  parameter [31:0] IRQ_ENABLE      = 32'd0
) (
  input  wire        aclk,
  input  wire        aresetn,

  output reg         ready,
  output reg         up,
  output reg         failed,

  output reg         m_axil_awvalid,
  input  wire        m_axil_awready,
  output wire [11:0] m_axil_awaddr,
  output wire [2:0]  m_axil_awprot,
  output reg         m_axil_wvalid,
  input  wire        m_axil_wready,
  output wire [31:0] m_axil_wdata,
  output wire [3:0]  m_axil_wstrb,
  input  wire        m_axil_bvalid,
  output wire        m_axil_bready,
  input  wire [1:0]  m_axil_bresp,
  output reg         m_axil_arvalid,
  input  wire        m_axil_arready,
  output wire [11:0] m_axil_araddr,
  output wire [2:0]  m_axil_arprot,
  input  wire        m_axil_rvalid,
  output wire        m_axil_rready,
  input  wire [31:0] m_axil_rdata,
  input  wire [1:0]  m_axil_rresp
);

  localparam [3:0] IDENTIFY = 4'd0, APPLY = 4'd9, CHECK = 4'd10, WATCH = 4'd11;
  localparam [2:0] UP = 3'd3;

  reg [3:0]  step;
  reg        busy;
  reg [11:0] address;
  reg [31:0] data;

  // What each step accesses.
  always @* begin
    data = 32'd0;
    case (step)
      IDENTIFY: address = 12'h000;
      4'd1: begin address = 12'h040; data = POLL_TIMEOUT; end
      4'd2: begin address = 12'h044; data = HELLO_INTERVAL; end
      4'd3: begin address = 12'h048; data = KEEPALIVE; end
      4'd4: begin address = 12'h04C; data = OUTAGE_TIMEOUT; end
      4'd5: begin address = 12'h050; data = STATUS_INTERVAL; end
      4'd6: begin address = 12'h024; data = IRQ_ENABLE; end
      4'd7: begin address = 12'h028; data = CODE; end
      4'd8: begin address = 12'h02C; data = ARQ; end
      APPLY: begin address = 12'h030; data = 32'd1; end
      default: address = 12'h018;  // STATUS: CHECK once, then WATCH for ever
    endcase
  end

  wire is_write = step != IDENTIFY && step <= APPLY;
  wire answered = m_axil_bvalid || m_axil_rvalid;
  wire refused  = (m_axil_bvalid && m_axil_bresp != 2'b00) || (m_axil_rvalid && m_axil_rresp != 2'b00);
  wire wrong    = (step == IDENTIFY && m_axil_rdata != 32'h4152514C)   // "ARQL"
               || (step == CHECK && m_axil_rdata[6]);                  // apply_rejected

  assign m_axil_awaddr = address;
  assign m_axil_awprot = 3'b000;
  assign m_axil_wdata  = data;
  assign m_axil_wstrb  = 4'b1111;
  assign m_axil_bready = 1'b1;
  assign m_axil_araddr = address;
  assign m_axil_arprot = 3'b000;
  assign m_axil_rready = 1'b1;

  always @(posedge aclk) begin
    if (m_axil_awready) m_axil_awvalid <= 1'b0;
    if (m_axil_wready)  m_axil_wvalid  <= 1'b0;
    if (m_axil_arready) m_axil_arvalid <= 1'b0;
    if (!busy && !failed) begin
      m_axil_awvalid <= is_write;
      m_axil_wvalid  <= is_write;
      m_axil_arvalid <= !is_write;
      busy           <= 1'b1;
    end
    if (busy && answered) begin
      busy   <= 1'b0;
      failed <= refused || wrong;
      if (step != WATCH) step <= step + 4'd1;
      if (step == CHECK) ready <= !m_axil_rdata[6];
      if (step == WATCH) up <= m_axil_rdata[2:0] == UP;
    end
    if (!aresetn) begin
      m_axil_awvalid <= 1'b0;
      m_axil_wvalid  <= 1'b0;
      m_axil_arvalid <= 1'b0;
      step           <= IDENTIFY;
      busy           <= 1'b0;
      ready          <= 1'b0;
      up             <= 1'b0;
      failed         <= 1'b0;
    end
  end

endmodule
