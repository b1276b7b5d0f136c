// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.LinkConfig
import arqlink.lib.Invariant
import arqlink.wire._

/** What a sender has sent and what it knows of it: a message of the peer is checked against this. */
case class FeedbackRange(link: LinkConfig) extends Bundle {
  private val hasHoles = !link.window.isBlock
  val txEdge, nextFsn, ackTsn, peerRxBase = Wire.sn

  /** No outcome is known from here on; from `contiguousFrom` to `knownEnd` every one is. */
  val knownEnd, contiguousFrom = hasHoles generate Wire.sn
}

/** What follows of a message: it is accepted whole or not at all. */
case class CheckedFeedback(link: LinkConfig) extends Bundle {
  private val hasHoles = !link.window.isBlock
  val accepted = Bool()

  /** Outcomes are missing that the peer does not repeat unasked. */
  val gap = Bool()

  /** Its rxBase is not behind the last one. */
  val movesBase = Bool()

  /** Outcomes of it may be new, those of `countLessOne` + 1 bits of its bitmap from `firstBit` on. Never so without a message. */
  val startsList = Bool()
  val firstBit, countLessOne = UInt(log2Up(Wire.bitmapBits) bits)

  /** TSN of the first of them, and the TSN after the last one. */
  val first, end = hasHoles generate Wire.sn

  /** `first` is ackTsn. */
  val fromAck = hasHoles generate Bool()

  /** `first` is beyond knownEnd. */
  val opensHole = hasHoles generate Bool()

  /** `end` is beyond knownEnd. */
  val raisesEnd = hasHoles generate Bool()
}

/** Checks a message of the peer, one at a time (docs/architecture.md, "Sender", 3).
  *
  * rxNext must lie within ackTsn … txEdge and rxBase within the last rxBase … nextFsn, so that nothing from the air can free what was not sent.
  * What is behind either is stale, and does no harm.
  */
class FeedbackCheck(link: LinkConfig) extends Component {
  private val slotBits = link.window.slotBits
  private val hasHoles = !link.window.isBlock

  /** Bits of 0 to windowFrames. */
  private val spanBits = slotBits + 1
  val io = new Bundle {

    /** Begins with the message on `feedback`, which stays there until `result`; not while one is in progress. */
    val start = in Bool ()
    val feedback = in(ControlMessage())
    val range = in(FeedbackRange(link))
    val peerWindowLog2 = in UInt (5 bits)

    /** A message is in progress, from the clock after `start` on. */
    val busy = out Bool ()
    val result = master Flow CheckedFeedback(link)
  }
  import io.{feedback, range}

  /** The peer repeats outcomes up to this age unasked, and no older ones. */
  private val repeated = new RepeatLags(link, io.peerWindowLog2).repeated

  // The stage of each task.
  private val (measureAt, compareAt, decideAt, reportAt) = (0, 1, 2, 3)
  private val stages = Seq.fill(reportAt + 1)(Node())
  val measure = stages(measureAt)
  val compare = stages(compareAt)
  val decide = stages(decideAt)
  val report = stages(reportAt)
  io.busy := stages.drop(measureAt + 1).map(_.isValid).orR

  /** Distances: of the message's numbers from what they have to lie between, and of its bitmap from what is known. */
  val measured = new measure.Area {
    valid := io.start
    val advance = insert(feedback.rxNext - range.ackTsn)
    val sent = insert((range.txEdge - range.ackTsn).resize(spanBits))
    val baseAdvance = insert(feedback.rxBase - range.peerRxBase)
    val baseSpan = insert(range.nextFsn - range.peerRxBase) // the peer's window may be the larger one
    val toEnd = insert(feedback.rxNext - feedback.bitmapBase)
    val toAck = insert(range.ackTsn - feedback.bitmapBase)
    val toKnownEnd = hasHoles generate insert(range.knownEnd - feedback.bitmapBase)
    val isContiguous = hasHoles generate insert(!Sn.behind(feedback.bitmapBase, range.contiguousFrom))
  }

  /** What the distances say. */
  val compared = new compare.Area {
    // A window is a power of two: up to that far behind are the numbers with nothing but ones in the bits above it.
    private def above(x: UInt) = x(Wire.snBits - 1 downto slotBits)
    private def within(x: UInt, span: UInt) = !x(Wire.snBits - 1 downto spanBits).orR && x.resize(spanBits) <= span

    /** As many as there are from the bitmap's first outcome up to a distance: 0 to 64. */
    private def countTo(distance: UInt) = distance.msb ? U(0, 7 bits) | (distance.dropLow(6).orR ? U(Wire.bitmapBits, 7 bits) | distance.resize(7))
    private val toAck = this(measured.toAck)

    val isAhead = insert(within(this(measured.advance), this(measured.sent)))
    val isStale = insert(above(this(measured.advance)).andR)
    val baseIsAhead = insert(this(measured.baseAdvance) <= this(measured.baseSpan))
    val baseIsStale = insert(above(this(measured.baseAdvance)).andR)

    /** Outcomes of the message: those below rxNext, 64 at most. */
    val reported = insert(countTo(this(measured.toEnd)))

    /** As many of them are known for certain, from the first one on, or all. */
    val knownPrefix = insert(countTo(if (hasHoles) this(measured.isContiguous) ? this(measured.toKnownEnd) | toAck else toAck))

    /** Outcomes before the bitmap are missing: its base is above ackTsn, so `toAck` is negative. `missed`: it is above by more than `repeated`, and
      * the peer will not repeat them unasked.
      */
    val isBeyondAck = insert(toAck.msb)
    val missed = insert(toAck.msb && (toAck + repeated).msb)
  }

  val decided = new decide.Area {
    import compared._
    private val isPossible = (this(isAhead) || this(isStale)) && (this(baseIsAhead) || this(baseIsStale))
    private val hasOutcomes = isPossible && this(isAhead)
    val result = insert {
      val result = CheckedFeedback(link)
      result.accepted := isPossible
      result.gap := hasOutcomes && this(missed)
      result.movesBase := isPossible && this(baseIsAhead)
      // Where there are no holes a message that begins beyond ackTsn is of no use.
      result.startsList := isValid && hasOutcomes && this(reported) > this(knownPrefix) && (if (hasHoles) True else !this(isBeyondAck))
      result.firstBit := this(knownPrefix).resized
      result.countLessOne := (this(reported) - this(knownPrefix) - 1).resized
      if (hasHoles) {
        val toKnownEnd = this(measured.toKnownEnd)
        result.first := feedback.bitmapBase + this(knownPrefix)
        result.fromAck := this(knownPrefix) === this(measured.toAck)
        result.end := feedback.bitmapBase + this(reported)
        result.opensHole := toKnownEnd.msb
        result.raisesEnd := toKnownEnd.msb || !toKnownEnd.dropLow(6).orR && this(reported) > toKnownEnd.resize(7)
      }
      result
    }
  }

  Invariant.when(io.start)(!io.busy, "a message comes, and the one before is being checked")
  io.result.valid := report.isValid
  io.result.payload := report(decided.result)
  Builder(stages.zip(stages.tail).map { case (from, to) => StageLink(from, to) })
}
