// SPDX-License-Identifier: Apache-2.0
// Lattice's PLL as far as the board's test needs it: locked at once, and its clock is the one it is given, not a multiple.
module EHXPLLL #(
  parameter CLKI_DIV = 1,
  parameter CLKFB_DIV = 1,
  parameter CLKOP_DIV = 1,
  parameter CLKOP_ENABLE = "ENABLED",
  parameter CLKOP_CPHASE = 0,
  parameter CLKOP_FPHASE = 0,
  parameter FEEDBK_PATH = "CLKOP"
) (
  input  wire CLKI, CLKFB, RST, STDBY, PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP, PHASELOADREG, PLLWAKESYNC, ENCLKOP,
  output wire CLKOP, LOCK
);
  assign CLKOP = CLKI;
  assign LOCK = 1'b1;
endmodule
