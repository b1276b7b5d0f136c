// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink._

/** Tells when all units of a frame have been read from the frame store. */
class ReadTracker(code: CodeConfig) extends Component {
  val io = new Bundle {

    /** Number of units of each frame, in the order of the reads. */
    val units = slave Stream UInt(code.kBits bits)

    /** Pulse: a unit has been read to its end. */
    val unitRead = in Bool ()
    val frameRead = out Bool ()
  }
  val pending = StreamFifo(UInt(code.kBits bits), 8)
  if (code.area.relaxed) pending.logic.ram.addAttribute("ram_style", "block")
  pending.io.push << io.units
  val count = Reg(UInt(code.kBits bits)) init 0
  val isLast = count + 1 === pending.io.pop.payload
  pending.io.pop.ready := io.unitRead && isLast
  io.frameRead := io.unitRead && isLast
  when(io.unitRead)(count := isLast ? U(0, code.kBits bits) | (count + 1))
}
