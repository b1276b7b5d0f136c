// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink.config.LinkConfig
import arqlink.lib.Invariant
import arqlink.wire.{Sn, Wire}

/** Sequence numbers near the window, in `PeerEdges.bits` bits: those from rxBase to a window above it all differ, and those just below it do, too. */
object PeerEdges {
  def bits(link: LinkConfig): Int = link.window.slotBits + 2
  def edgeSn(link: LinkConfig): UInt = UInt(bits(link) bits)
}

/** What the peer has said of its lower window edge. */
case class TxBaseNotice() extends Bundle {
  val txBase = Wire.sn
  val abandons = Bool()
}

/** Below `resolved` the peer waits for no frame any more, below `abandoned` it may have given frames up. Both only move up, and only to
  * the lower one of two successive notices: one alone may have passed its CRC by chance.
  */
class PeerEdges(link: LinkConfig) extends Component {
  val io = new Bundle {

    /** Four clocks apart or more. */
    val seen = slave Flow TxBaseNotice()
    val rxBase = in(Wire.sn)
    val resolved, abandoned = out(PeerEdges.edgeSn(link))

    /** A notice is within the window, or not: then it is ignored. */
    val judged = out(Judgement())
  }
  private def edgeSn(sn: UInt) = sn.resize(PeerEdges.bits(link))
  private def after(clocks: Int) = Delay(io.seen.valid, clocks, init = False)

  // Distances in the first clock, what they say in the second, the lower one's distance in the third.
  val notice = RegNextWhen(io.seen.payload, io.seen.valid)
  val previous = Reg(TxBaseNotice())
  previous.abandons init False
  previous.txBase init 0
  val windowsAhead = RegNext(Sn.distanceLessOne(notice.txBase, io.rxBase).dropLow(link.window.slotBits))
  val isLower = RegNext(Sn.behind(notice.txBase, previous.txBase))

  val beyond = RegNext(!windowsAhead.msb && windowsAhead.orR)
  val lower = RegNext(isLower ? notice.txBase | previous.txBase)
  val both = RegNext(notice.abandons && previous.abandons)

  when(after(3) && !beyond)(previous := notice)
  io.judged.accepted := after(3) && !beyond
  io.judged.rejected := after(3) && beyond

  val isAhead = RegNext(!(lower - io.rxBase).msb)
  val take = RegNext(after(3) && !beyond) init False

  /** An edge keeps up with rxBase, so that it is never far behind. */
  private def edge(moves: Bool): UInt = {
    val value = Reg(PeerEdges.edgeSn(link)) init 0
    val isNew = RegNext(!(edgeSn(lower) - value).msb)
    val isBehind = RegNext((value - edgeSn(io.rxBase)).msb) init False
    val base = RegNext(edgeSn(io.rxBase))
    val raised = take && moves && isAhead && isNew
    when(isBehind && !RegNext(raised).init(False))(value := base) // `isBehind` is of the value as it was a clock ago
    when(raised)(value := edgeSn(lower))
    value
  }
  io.resolved := edge(True)
  io.abandoned := edge(both)
  for ((name, edge) <- Seq("resolved" -> io.resolved, "abandoned" -> io.abandoned))
    Invariant(!(edge - RegNext(edge).init(0)).msb, s"$name goes back")
}
