// SPDX-License-Identifier: Apache-2.0
package arqlink.synth

import spinal.core._
import spinal.lib._

/** A block between registers, for timing and area out of context: a device has too few pins for its ports.
  *
  * A shift register from `scan_in` feeds all inputs; all outputs are taken by a register when `capture` is high, and shift
  * out at `scan_out` otherwise. So each port of the block begins or ends in a flip-flop, and nothing can be removed. The shell
  * costs a flip-flop an input, and a flip-flop and a LUT an output.
  */
class SynthShell(build: => Component) extends Component {
  val scanIn = in Bool ()
  val capture = in Bool ()
  val scanOut = out Bool ()
  scanIn.setName("scan_in")
  capture.setName("capture")
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
  val taken = Reg(Bits(outputs.map(_.getBitsWidth).sum bits))
  taken := capture ? Cat(outputs.map(_.asBits)) | (False ## taken.dropLow(1))
  scanOut := taken.lsb
}
