// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.LinkConfig
import arqlink.lib.Invariant
import arqlink.wire._

/** Turns control units into outcomes of the sender's own transmissions, each once, in any order (docs/architecture.md, "Sender", 3 and 4).
  *
  * A message is taken whole or not at all: rxNext must lie within ackTsn … txEdge and rxBase within the last rxBase …
  * nextFsn, so that nothing from the air can free what was not sent. Its outcomes are listed from the first one on that may be new, one a clock.
  *
  * Every outcome below `ackTsn` is known, none from `knownEnd` on is, and from `contiguousFrom` to `knownEnd` every one is known again. Between
  * `ackTsn` and `contiguousFrom` there are holes; which outcomes are known there, [[KnownOutcomes]] tells. Without a hole all three are equal. A
  * window of one block has no holes: each message shows every outcome that may be missing.
  */
class OutcomeIntake(link: LinkConfig) extends Component {
  private val snBits = Wire.snBits
  private val slotBits = link.window.slotBits
  private val relaxed = link.code.area.relaxed
  private val hasHoles = !link.window.isBlock

  /** Bits of 0 to windowFrames. */
  private val spanBits = slotBits + 1
  val io = new Bundle {
    val feedback = slave Stream ControlMessage()
    val txEdge = in(Wire.sn)
    val nextFsn = in(Wire.sn)
    val peerWindowLog2 = in UInt (5 bits)

    /** The TSN whose outcome may be told `OutcomeIntake.latency` clocks later: received or failed. */
    val listed = out(Wire.sn)
    val outcome = master Flow Bool()
    val ackTsn = out(Wire.sn)
    val peerRxBase = out(Wire.sn)

    /** Pulse: outcomes were missed that the peer does not repeat unasked. */
    val gap = out Bool ()

    /** No outcome is missing that is older than another one that is known. */
    val isWhole = out Bool ()
    val busy = out Bool ()
    val judged = out(Judgement())

    /** Tables are cleared before the first message. */
    val clear = slave Flow UInt(slotBits bits)
  }

  val ackTsn = Reg(Wire.sn) init 0
  val knownEnd, contiguousFrom = hasHoles generate (Reg(Wire.sn) init 0)
  val peerRxBase = Reg(Wire.sn) init 0
  io.ackTsn := ackTsn
  io.peerRxBase := peerRxBase

  /** Outcomes that are older than this the peer will not show unasked. */
  private val repeated = new RepeatLags(link, io.peerWindowLog2).repeated

  /** The outcomes of a message are listed. */
  val listing = RegInit(False)

  /** ackTsn may be behind; the sweep has let a message go first. */
  val sweepPending, sweepPaused, sweeping = RegInit(False)

  // Judgement: one message at a time, which stays on the port meanwhile ------------------------------------------------------

  private val stages = new StageCtrlPipeline
  val measure = stages.ctrl(0)
  val compare = stages.ctrl(1)
  val judge = stages.ctrl(2)
  val act = stages.ctrl(3)
  private val isJudging = Seq(compare, judge, act).map(_.isValid).orR
  private val feedback = io.feedback

  /** Distances: of the message's numbers from what they have to lie between, and of its bitmap from what is known. */
  val measured = new measure.Area {
    up.valid := feedback.valid && !isJudging && !listing && (!sweepPending || sweepPaused)
    val advance = insert(feedback.rxNext - ackTsn)
    val sent = insert((io.txEdge - ackTsn).resize(spanBits))
    val baseAdvance = insert(feedback.rxBase - peerRxBase)
    val baseSpan = insert(io.nextFsn - peerRxBase) // the peer's window may be the larger one
    val toEnd = insert(feedback.rxNext - feedback.bitmapBase)
    val toAck = insert(ackTsn - feedback.bitmapBase)
    val toKnownEnd = hasHoles generate insert(knownEnd - feedback.bitmapBase)
    val isContiguous = hasHoles generate insert(!Sn.behind(feedback.bitmapBase, contiguousFrom))
  }

  /** What the distances say. */
  val compared = new compare.Area {
    // A window is a power of two: up to that far behind are the numbers with nothing but ones in the bits above it.
    private def above(x: UInt) = x(snBits - 1 downto slotBits)
    private def within(x: UInt, span: UInt) = !x(snBits - 1 downto spanBits).orR && x.resize(spanBits) <= span

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

    /** Outcomes before the bitmap are missing; the peer will not show them unasked. */
    val isBeyondAck = insert(toAck.msb)
    val missed = insert(toAck.msb && (toAck + repeated).msb)
  }

  /** What follows: the message is taken whole or not at all. */
  val judged = new judge.Area {
    import compared._
    private val isPossible = (this(isAhead) || this(isStale)) && (this(baseIsAhead) || this(baseIsStale))
    private val hasOutcomes = isPossible && this(isAhead)
    val accepted = insert(isPossible)
    val gap = insert(hasOutcomes && this(missed))
    val movesBase = insert(isPossible && this(baseIsAhead))

    /** There are outcomes to list. Where there are no holes a message that begins beyond ackTsn is of no use. */
    val startsList = insert(hasOutcomes && this(reported) > this(knownPrefix) && (if (hasHoles) True else !this(isBeyondAck)))
    val first = hasHoles generate insert(feedback.bitmapBase + this(knownPrefix))
    val fromAck = if (hasHoles) insert(this(knownPrefix) === this(measured.toAck)) else null
    val end = hasHoles generate insert(feedback.bitmapBase + this(reported))
    val opensHole = hasHoles generate insert(this(measured.toKnownEnd).msb)
    val raisesEnd = hasHoles generate insert(
      this(measured.toKnownEnd).msb || !this(measured.toKnownEnd).dropLow(6).orR && this(reported) > this(measured.toKnownEnd).resize(7)
    )
    val firstBit = insert(this(knownPrefix).resize(6))
    val countLessOne = insert((this(reported) - this(knownPrefix) - 1).resize(6))
  }

  val acts = new act.Area {
    down.ready := True
    io.judged.accepted := up.isValid && this(judged.accepted)
    io.judged.rejected := up.isValid && !this(judged.accepted)
    io.gap := up.isValid && this(judged.gap)
    when(up.isValid && this(judged.movesBase))(peerRxBase := feedback.rxBase)
    val startsList = up.isValid && this(judged.startsList)
  }

  // Listing: TSNs whose outcomes may be new, one a clock -----------------------------------------------------------------------

  val bitmap = if (relaxed) feedback.bitmap else RegNextWhen(feedback.bitmap, acts.startsList)
  val cursor = if (hasHoles) Reg(Wire.sn) else ackTsn
  val index = Reg(UInt(6 bits))
  val left = Reg(UInt(6 bits))
  val movesAck = RegInit(False)
  private val fromAck = if (hasHoles) act(judged.fromAck) else True
  private val ends = listing && left === 0
  when(acts.startsList) {
    listing := True
    index := act(judged.firstBit)
    left := act(judged.countLessOne)
    movesAck := fromAck
  }
  when(listing) {
    index := index + 1
    left := left - 1
    when(movesAck)(ackTsn := ackTsn + 1)
  }
  when(ends)(listing := False)
  // Where the bitmap is not copied the message stays until its last bit is being read.
  feedback.ready := (if (relaxed) act.isValid && !acts.startsList || ends else act.isValid)

  // The bit in two clocks: its byte, then itself.
  private val reads = new StageCtrlPipeline
  val reading = new Area {
    private val begin = reads.ctrl(0)
    begin.up.valid := listing
    private val place = begin.insert(index(2 downto 0))
    private val byte = begin.insert(bitmap.subdivideIn(8 bits)(index(5 downto 3)))
    private val bit = reads.ctrl(1).insert(reads.ctrl(1)(byte)(reads.ctrl(1)(place)))
    private val end = reads.ctrl(OutcomeIntake.latency)
    end.down.ready := True

    /** An outcome is on its way. */
    val isBusy = (1 until OutcomeIntake.latency).map(reads.ctrl(_).isValid).orR
    val done = end.isValid
    io.outcome.payload := end(bit)
  }
  io.listed := cursor

  if (!hasHoles) {
    io.outcome.valid := reading.done
    io.isWhole := listing
  } else {
    val known = new KnownOutcomes(link)
    known.io.clear << io.clear
    known.io.tsn := cursor.resized
    known.io.mark := io.outcome.valid
    io.outcome.valid := reading.done && !known.io.isKnown

    val isWhole = RegNext(ackTsn === knownEnd) init True
    io.isWhole := isWhole
    when(acts.startsList) {
      cursor := act(judged.first)
      when(act(judged.raisesEnd))(knownEnd := act(judged.end))
      when(act(judged.opensHole))(contiguousFrom := act(judged.first)).elsewhen(isWhole)(contiguousFrom := act(judged.end))
    }
    when(listing)(cursor := cursor + 1)

    // ackTsn follows over what is known already: with a jump where no hole is left, else one a clock, for a while between two messages.
    val sweep = new Area {
      private val idle = !isJudging && !listing && !reading.isBusy && !reading.done && !RegNext(reading.done, init = False)
      private val fillsHole = RegInit(False)
      private val stop = Bool()
      val asked = Delay(sweeping && !stop, KnownOutcomes.latency, init = False) && sweeping
      val isContiguous = RegNext(!Sn.behind(ackTsn, contiguousFrom)) init False

      /** Answers left in this turn; the sign ends it. */
      val turn = Reg(UInt(6 bits))
      when(acts.startsList)(fillsHole := fromAck && !isWhole)
      when(ends && fillsHole)(sweepPending := True)
      when(act.isValid)(sweepPaused := False)
      when(sweepPending && idle && !sweeping && !sweepPaused) {
        sweeping := True
        cursor := ackTsn
        turn := OutcomeIntake.sweepTurn
      }
      stop := False
      when(sweeping) {
        cursor := cursor + 1
        when(!turn.msb)(turn := turn - 1)
        when(asked && known.io.isKnown)(ackTsn := ackTsn + 1)
        when(isContiguous) {
          ackTsn := knownEnd
          contiguousFrom := knownEnd
          sweepPending := False
          stop := True
        } elsewhen (asked && !known.io.isKnown) {
          sweepPending := False
          stop := True
        } elsewhen (turn.msb && feedback.valid) {
          sweepPaused := True
          stop := True
        }
        when(stop)(sweeping := False)
      }
    }
  }
  io.busy := isJudging || listing || measure.isValid || reading.isBusy || sweepPending

  Invariant(!Sn.behind(io.txEdge, ackTsn), "an outcome is known of what was not sent")
  Invariant(!Sn.behind(io.nextFsn, peerRxBase), "the peer is believed to have passed a frame that was not sent")
  if (hasHoles) {
    Invariant(!Sn.behind(knownEnd, ackTsn), "ackTsn has passed what is known")
    Invariant(!Sn.behind(io.txEdge, knownEnd), "an outcome was listed of what was not sent")
  }
  stages.build()
  reads.build()
}

object OutcomeIntake {

  /** From `listed` to `outcome`: its bit is read while the table says whether it is known. */
  val latency = KnownOutcomes.latency

  /** TSNs that a sweep looks at before it lets a message go first. */
  val sweepTurn = 16
}
