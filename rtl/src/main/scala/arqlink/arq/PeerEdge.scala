// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink._
import arqlink.link._

/** The peer's lower window edge, as far as its control units have told: it only moves up, and never past the window. */
class PeerEdge(link: LinkConfig) extends Component {
  val io = new Bundle {

    /** Two clocks apart or more, and `PeerEdge.delay` more than that. */
    val seen = slave Flow Wire.sn
    val rxBase = in(Wire.sn)
    val txBase = out(Wire.sn)
    val invalid = out Bool ()
  }
  // Distances in one clock, the decision in the next.
  val edge = Reg(Wire.sn) init 0
  val candidate = RegNextWhen(io.seen.payload, io.seen.valid)
  val check = Delay(io.seen.valid, 2 + PeerEdge.delay(link), init = False)
  val moves = check && !RegNext(candidate - edge).msb
  private val aheadLessOne = RegNext(Sn.distanceLessOne(candidate, io.rxBase))
  val beyond = !aheadLessOne.msb && aheadLessOne.dropLow(link.window.slotBits).orR
  io.invalid := moves && beyond
  when(moves && !beyond)(edge := candidate)
  io.txBase := edge
}

object PeerEdge {

  /** Clocks that the edge waits here, and need not be held back by its user: a control unit lasts longer. */
  def delay(link: LinkConfig): Int = if (link.code.area.relaxed) 3 else 0
}
