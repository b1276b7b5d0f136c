// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink.config.LinkConfig
import arqlink.lib.{BlockRam, Invariant}

/** Of which TSNs in the window the outcome is known: one bit each, in block RAM.
  *
  * The outcome of a TSN is known if the slot's bit is unequal to the TSN's bit above those of the slot, which alternates from one window to the next. Each
  * outcome becomes known once before its slot is used again, so the bits are cleared only once, at the start.
  */
class KnownOutcomes(link: LinkConfig) extends Component {
  private val slotBits = link.window.slotBits
  val io = new Bundle {
    val clear = slave Flow UInt(slotBits bits)

    /** Asked for, by its slot and the bit above; answered `KnownOutcomes.latency` clocks later. */
    val tsn = in UInt (slotBits + 1 bits)
    val isKnown = out Bool ()

    /** With the answer: it becomes known now. A TSN is not asked for again in the two clocks after this. */
    val mark = in Bool ()
  }
  import KnownOutcomes.latency
  val ram = BlockRam(Bool(), link.window.windowFrames) // a TSN that is being marked is not asked for

  private val asked = Delay(io.tsn, latency)
  private val round = asked.msb
  io.isKnown := RegNext(ram.readSync(io.tsn.resize(slotBits))) =/= round
  Invariant.when(io.mark)(!io.isKnown, "an outcome is taken twice")
  ram.write(
    address = RegNext(io.clear.valid ? io.clear.payload | asked.resize(slotBits)),
    data = RegNext(!io.clear.valid && !round),
    enable = RegNext(io.clear.valid || io.mark) init False
  )
}

object KnownOutcomes {

  /** The block RAM and its output register. */
  val latency = 2
}
