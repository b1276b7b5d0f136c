// SPDX-License-Identifier: Apache-2.0
package arqlink.store

import spinal.core._
import spinal.lib._

import arqlink.config.CodeConfig
import arqlink.lib.Invariant

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

  /** The frame that is being read: units left after the next one, and whether there are none. */
  val left = Reg(UInt(code.kBits bits))
  val isLast = Reg(Bool())
  val active = RegInit(False)
  io.frameRead := io.unitRead && isLast
  pending.io.pop.ready := !active || io.frameRead
  Invariant.when(io.unitRead)(active, "a unit of no frame has been read")
  when(io.unitRead) {
    left := left - 1
    isLast := left === 1
  }
  when(pending.io.pop.ready) {
    active := pending.io.pop.valid
    left := pending.io.pop.payload - 1
    isLast := pending.io.pop.payload === 1
  }
}
