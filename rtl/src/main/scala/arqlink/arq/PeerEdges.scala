// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.LinkConfig
import arqlink.lib.{Invariant, SeqNum}
import arqlink.wire.Wire

/** Sequence numbers in `PeerEdges.bits` bits, which are unambiguous from just below rxBase to a window above it. */
object PeerEdges {

  // The stage of each task. An edge is compared with itself as it is a clock before it moves.
  private val (measureAt, compareAt, decideAt) = (0, 1, 2)

  /** Clocks that a notice takes; the next one comes no sooner. */
  private val latency = decideAt + 2

  def bits(link: LinkConfig): Int = link.window.slotBits + 2
  def edgeSn(link: LinkConfig): UInt = UInt(bits(link) bits)
}

/** What the peer has said of its lower window edge. */
case class TxBaseNotice() extends Bundle {
  val txBase = Wire.sn
  val abandons = Bool()
}

/** Below `resolved` the peer waits for no frame any more, below `abandoned` it may have given frames up. Both only move up, and only to
  * the lower one of two successive notices: one alone may have passed its CRC by chance. What two data units have said moves `abandoned`, too.
  */
class PeerEdges(link: LinkConfig) extends Component {
  val io = new Bundle {

    /** `PeerEdges.latency` clocks apart or more. */
    val seen = slave Flow TxBaseNotice()

    /** Two data units said that the frames below are given up; two clocks apart or more. */
    val givenUp = slave Flow Wire.sn
    val rxBase = in(Wire.sn)
    val resolved, abandoned = out(PeerEdges.edgeSn(link))

    /** A notice is within the window, or not: then it is ignored. */
    val judged = out(Judgement())
  }
  private def edgeSn(sn: UInt) = sn.resize(PeerEdges.bits(link))
  private val first = link.firstSn(PeerEdges.bits(link))
  private val stages = Seq.fill(PeerEdges.decideAt + 1)(Node())
  val measure = stages(PeerEdges.measureAt)
  val compare = stages(PeerEdges.compareAt)
  val decide = stages(PeerEdges.decideAt)

  /** Stays while it is in the stages. */
  val notice = RegNextWhen(io.seen.payload, io.seen.valid)
  val previous = Reg(TxBaseNotice())
  previous.abandons init False
  previous.txBase init link.firstSn

  val measured = new measure.Area {
    valid := RegNext(io.seen.valid) init False

    /** How far the notice is above rxBase, less one, in windows: 0 within the window, negative at or below rxBase. */
    val windowsAhead = insert(SeqNum.distanceLessOne(notice.txBase, io.rxBase).dropLow(link.window.slotBits))
    val isLower = insert(SeqNum.isBelow(notice.txBase, previous.txBase))
  }

  val compared = new compare.Area {
    private val windowsAhead = this(measured.windowsAhead)
    val isBeyond = insert(!windowsAhead.msb && windowsAhead.orR)
    val lower = insert(this(measured.isLower) ? notice.txBase | previous.txBase)
    val abandons = insert(notice.abandons && previous.abandons)
  }

  private def isAhead(sn: UInt) = !SeqNum.isBelow(sn, io.rxBase)
  val decided = new decide.Area {
    val lower = this(compared.lower)
    private val isAccepted = isValid && !this(compared.isBeyond)
    io.judged.accepted := isAccepted
    io.judged.rejected := isValid && this(compared.isBeyond)
    when(isAccepted)(previous := notice)
    val moves = isAccepted && isAhead(lower)
    val abandons = moves && this(compared.abandons)
  }

  /** An edge that follows `sn` upwards when it `moves`, a clock later, and keeps up with rxBase, so that it is never far behind. */
  private def edge(moves: Bool, sn: UInt): UInt = {
    val value = Reg(PeerEdges.edgeSn(link)) init first
    val target = RegNext(edgeSn(sn))
    val raised = RegNext(moves && !SeqNum.isBelow(edgeSn(sn), value)) init False
    val isBehind = RegNext(SeqNum.isBelow(value, edgeSn(io.rxBase))) init False
    val base = RegNext(edgeSn(io.rxBase))
    when(isBehind && !RegNext(raised).init(False))(value := base) // `isBehind` is of the value as it was a clock ago
    when(raised)(value := target)
    value
  }
  private val byNotices = edge(decided.abandons, decided.lower)
  private val byUnits = edge(io.givenUp.valid && isAhead(io.givenUp.payload), io.givenUp.payload)

  // Both in the same clock: what is resolved and not abandoned is a contradiction.
  io.resolved := RegNext(edge(decided.moves, decided.lower)) init first
  io.abandoned := RegNext(SeqNum.isBelow(byNotices, byUnits) ? byUnits | byNotices) init first
  Invariant.when(io.seen.valid)(!History(io.seen.valid, 1 until PeerEdges.latency, init = False).orR, "a notice comes, and the one before is in the stages")
  Invariant.when(io.givenUp.valid)(!RegNext(io.givenUp.valid).init(False), "units say something, and what they said before is being compared")
  Builder(stages.zip(stages.tail).map { case (from, to) => StageLink(from, to) })
  for ((name, edge) <- Seq("resolved" -> io.resolved, "abandoned" -> io.abandoned))
    Invariant.onward(edge, name, first)
}
