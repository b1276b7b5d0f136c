// SPDX-License-Identifier: Apache-2.0
// A block between registers (SynthShell), clocked by the internal oscillator of a Lattice Nexus, 450 MHz divided by two.
`default_nettype none

module nexus_shell (
    input wire aresetn,
    input wire scan_in,
    output wire scan_out
);
  wire clock;

  OSCA #(
      .HF_CLK_DIV("1"),
      .HF_OSC_EN("ENABLED")
  ) oscillator (
      .HFOUTEN(1'b1),
      .HFCLKOUT(clock)
  );

  SynthShell shell (
      .aclk(clock),
      .aresetn(aresetn),
      .scan_in(scan_in),
      .scan_out(scan_out)
  );
endmodule
