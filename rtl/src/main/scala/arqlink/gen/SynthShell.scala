// SPDX-License-Identifier: Apache-2.0
package arqlink.gen

import spinal.core._
import spinal.lib._

/** A block between registers, for timing and area out of context: a device has too few pins for its ports.
  *
  * A shift register from `scan_in` feeds all inputs; a register takes all outputs, and their parity leaves at `scan_out`, four bits
  * of it to one in each clock. So each port of the block begins or ends in a flip-flop, and nothing can be removed. The shell
  * costs a flip-flop an input, and a flip-flop and a third of a LUT an output.
  */
class SynthShell(build: => Component) extends Component {
  val scanIn = in Bool ()
  val scanOut = out Bool ()
  scanIn.setName("scan_in")
  scanOut.setName("scan_out")

  val core = build
  private val ports = core.getAllIo.toSeq.filterNot(p => p.isInOut)
  private val inputs = ports.filter(p => p.isInput && p.dlcIsEmpty) // clock and reset may be there, joined already
  private val outputs = ports.filter(_.isOutput)

  val feed = Reg(Bits(inputs.map(_.getBitsWidth).sum bits))
  feed := (feed ## scanIn).resized
  private var at = 0
  for (port <- inputs) {
    port.assignFromBits(feed(at, port.getBitsWidth bits))
    at += port.getBitsWidth
  }
  val taken = RegNext(Cat(outputs.map(_.asBits)))
  scanOut := parity(taken)

  /** Parity of registered bits, with a register behind each LUT. */
  private def parity(bits: Bits): Bool =
    if (bits.getWidth == 1) bits.lsb
    else parity(RegNext(Cat(bits.subdivideIn(4 bits, strict = false).map(_.xorR))))
}
