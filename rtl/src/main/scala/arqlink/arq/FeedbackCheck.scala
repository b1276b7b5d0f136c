// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.LinkConfig
import arqlink.lib.Invariant
import arqlink.wire._

/** What a sender has sent and what it knows of it: a message of the peer is checked against this. */
case class FeedbackRange() extends Bundle {
  val txEdge, nextFsn, ackTsn, peerRxBase = Wire.sn
}

/** What follows of a message: it is accepted whole or not at all. */
case class CheckedFeedback() extends Bundle {
  val accepted = Bool()

  /** Its rxBase is not behind the last one. */
  val movesBase = Bool()

  /** Its outcomes below rxNext count. */
  val hasOutcomes = Bool()
}

/** Checks a message of the peer, one at a time (docs/architecture.md, "Sender", 4).
  *
  * rxNext must lie within ackTsn … txEdge and rxBase within the last rxBase … nextFsn, so that nothing from the air can free what was not sent.
  * What is behind either is stale, and does no harm.
  */
class FeedbackCheck(link: LinkConfig) extends Component {
  private val slotBits = link.window.slotBits
  val io = new Bundle {

    /** Begins with the message on `feedback`, which stays there until `result`; not while one is in progress. */
    val start = in Bool ()
    val feedback = in(ControlMessage())
    val range = in(FeedbackRange())

    /** A message will be in progress in the next clock. */
    val willBeBusy = out Bool ()
    val result = master Flow CheckedFeedback()
  }
  import io.{feedback, range}

  // The stage of each task.
  private val (measureAt, compareAt, decideAt, reportAt) = (0, 1, 2, 3)
  private val stages = Seq.fill(reportAt + 1)(Node())
  val measure = stages(measureAt)
  val compare = stages(compareAt)
  val decide = stages(decideAt)
  val report = stages(reportAt)
  io.willBeBusy := stages.dropRight(1).map(_.isValid).orR

  val measured = new measure.Area {
    valid := io.start
    val advance = insert(feedback.rxNext - range.ackTsn)
    val span = insert(range.txEdge - range.ackTsn)
    val baseAdvance = insert(feedback.rxBase - range.peerRxBase)
    val baseSpan = insert(range.nextFsn - range.peerRxBase) // the peer's window may be the larger one
  }

  val compared = new compare.Area {

    /** Up to a window behind: nothing but ones in the bits above a window's. */
    private def isStale(advance: UInt) = advance.dropLow(slotBits).andR
    val isAhead = insert(this(measured.advance) <= this(measured.span))
    val isBehind = insert(isStale(this(measured.advance)))
    val baseIsAhead = insert(this(measured.baseAdvance) <= this(measured.baseSpan))
    val baseIsBehind = insert(isStale(this(measured.baseAdvance)))
  }

  val decided = new decide.Area {
    import compared._
    private val isPossible = (this(isAhead) || this(isBehind)) && (this(baseIsAhead) || this(baseIsBehind))
    val result = insert {
      val result = CheckedFeedback()
      result.accepted := isPossible
      result.movesBase := isPossible && this(baseIsAhead)
      result.hasOutcomes := isPossible && this(isAhead)
      result
    }
  }

  Invariant.when(io.start)(!(RegNext(io.willBeBusy) init False), "a message comes, and the one before is being checked")
  io.result.valid := report.isValid
  io.result.payload := report(decided.result)
  Builder(stages.zip(stages.tail).map { case (from, to) => StageLink(from, to) })
}
