// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink._
import arqlink.link._

/** The peer's lower window edge, as far as its control units have told: it only moves up, and never past the window. */
class PeerEdge(link: LinkConfig) extends Component {
  val io = new Bundle {

    /** Two clocks apart or more. */
    val seen = slave Flow Wire.sn
    val rxBase = in(Wire.sn)
    val txBase = out(Wire.sn)
    val invalid = out Bool ()
  }
  // Distances in one clock, the decision in the next: control units are two clocks apart or more.
  val edge = Reg(Wire.sn) init 0
  private val slotBits = link.window.slotBits
  val candidate = RegNextWhen(io.seen.payload, io.seen.valid)
  val check = Delay(io.seen.valid, 2, init = False)
  val moves = check && !RegNext(candidate - edge).msb
  private val ahead = RegNext(candidate - io.rxBase)
  private val far = ahead(Wire.snBits - 2 downto slotBits).orR && !(ahead(slotBits) && !ahead(slotBits - 1 downto 0).orR && !ahead(Wire.snBits - 2 downto slotBits + 1).orR)
  val beyond = !ahead.msb && far
  io.invalid := moves && beyond
  when(moves && !beyond)(edge := candidate)
  io.txBase := edge
}
