// SPDX-License-Identifier: Apache-2.0
package arqlink.lib

import spinal.core._

/** The number of the fault that is on, from the environment of the simulator; 0: none. In Verilator's Verilog. */
class FaultNumber extends BlackBox {
  val number = out UInt (Fault.bits bits)
  private val variable = "std::getenv(\\\"ARQLINK_FAULT\\\")"
  setInlineVerilog(s"""module FaultNumber (output reg [${Fault.bits - 1}:0] number);
  initial number = $$c32("($variable ? std::atoi($variable) : 0)");
endmodule
""")
}

/** An expression of the design, and what a faulty design has in its place. Only the copy of the sources that `make mutants` builds has these. */
object Fault {
  val bits = 10

  /** A component's blocks of Verilog that know the number are one. */
  private def number = Component.current.userCache.getOrElseUpdate(this, new FaultNumber).asInstanceOf[FaultNumber].number

  def apply[T <: Data](which: Int)(asItIs: T, faulty: T): T = Mux(number === which, faulty, asItIs)
}
