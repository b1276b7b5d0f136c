// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink._
import arqlink.link._

/** The peer's lower window edge, as far as its control units have told: it only moves up, and never past the window. */
class PeerEdge(link: LinkConfig) extends Component {
  val io = new Bundle {
    val seen = slave Flow Wire.sn
    val rxBase = in(Wire.sn)
    val txBase = out(Wire.sn)
    val invalid = out Bool ()
  }
  val edge = Reg(Wire.sn) init 0
  val candidate = RegNext(io.seen.payload)
  val check = RegNext(io.seen.valid) init False
  val moves = !Sn.behind(candidate, edge)
  val ahead = candidate - io.rxBase
  io.invalid := check && moves && !ahead.msb && ahead > link.window.windowFrames
  when(check && moves && !io.invalid)(edge := candidate)
  io.txBase := edge
}
