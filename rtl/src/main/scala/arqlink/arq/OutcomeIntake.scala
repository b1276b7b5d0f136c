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
  * A message that [[FeedbackCheck]] accepts has its outcomes listed from the first one on that may be new, one a clock.
  *
  * Every outcome below `ackTsn` is known, none from `knownEnd` on is, and from `contiguousFrom` to `knownEnd` every one is known again. Between
  * `ackTsn` and `contiguousFrom` there are holes; [[KnownOutcomes]] has a bit for each TSN there. Without a hole all three are equal. A
  * window of one block has no holes: each message reports every outcome that may be missing.
  */
class OutcomeIntake(link: LinkConfig) extends Component {
  private val slotBits = link.window.slotBits
  private val hasHoles = !link.window.isBlock
  val io = new Bundle {
    val feedback = slave Stream ControlMessage()
    val txEdge = in(Wire.sn)
    val nextFsn = in(Wire.sn)
    val peerWindowLog2 = in UInt (5 bits)

    /** The TSN whose outcome, received or failed, may be on `outcome` `OutcomeIntake.latency` clocks later. */
    val listed = out(Wire.sn)
    val outcome = master Flow Bool()
    val ackTsn = out(Wire.sn)
    val peerRxBase = out(Wire.sn)

    /** Pulse: outcomes were lost that the peer does not repeat unasked. */
    val gap = out Bool ()

    /** No outcome is missing that is older than another one that is known. Where there are no holes a message is listed only if it begins at
      * ackTsn, so that nothing older is missing: there `listing` says so. [[PollSchedule]] reads the rise.
      */
    val isWhole = out Bool ()
    val busy = out Bool ()
    val judged = out(Judgement())

    /** Tables are cleared before the first message. */
    val clear = slave Flow UInt(slotBits bits)
  }

  val ackTsn = Reg(Wire.sn) init link.firstSn
  val knownEnd, contiguousFrom = hasHoles generate (Reg(Wire.sn) init link.firstSn)
  val peerRxBase = Reg(Wire.sn) init link.firstSn
  io.ackTsn := ackTsn
  io.peerRxBase := peerRxBase

  /** The outcomes of a message are listed. */
  val listing = RegInit(False)

  /** ackTsn may be behind; the sweep has let a message go first. */
  val sweepPending, sweepPaused, sweeping = RegInit(False)

  /** One message at a time, which stays on the port meanwhile. */
  val check = new FeedbackCheck(link)
  private val feedback = io.feedback
  private val checked = check.io.result
  check.io.start := feedback.valid && !check.io.busy && !listing && (!sweepPending || sweepPaused)
  check.io.feedback := feedback.payload
  check.io.peerWindowLog2 := io.peerWindowLog2
  check.io.range.txEdge := io.txEdge
  check.io.range.nextFsn := io.nextFsn
  check.io.range.ackTsn := ackTsn
  check.io.range.peerRxBase := peerRxBase
  if (hasHoles) {
    check.io.range.knownEnd := knownEnd
    check.io.range.contiguousFrom := contiguousFrom
  }
  io.judged.accepted := checked.valid && checked.accepted
  io.judged.rejected := checked.valid && !checked.accepted
  io.gap := checked.valid && checked.gap
  when(checked.valid && checked.movesBase)(peerRxBase := feedback.rxBase)
  private val startsList = checked.payload.startsList

  // Listing: TSNs whose outcomes may be new, one a clock -----------------------------------------------------------------------

  val bitmap = RegNextWhen(feedback.bitmap, startsList)
  val cursor = if (hasHoles) Reg(Wire.sn) else ackTsn
  val index = Reg(UInt(6 bits))
  val left = Reg(UInt(6 bits))
  val movesAck = RegInit(False)
  private val fromAck = if (hasHoles) checked.fromAck else True
  private val ends = listing && left === 0
  when(startsList) {
    listing := True
    index := checked.firstBit
    left := checked.countLessOne
    movesAck := fromAck
  }
  when(listing) {
    index := index + 1
    left := left - 1
    when(movesAck)(ackTsn := ackTsn + 1)
  }
  when(ends)(listing := False)
  feedback.ready := checked.valid

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
    when(startsList) {
      cursor := checked.first
      when(checked.raisesEnd)(knownEnd := checked.end)
      when(checked.opensHole)(contiguousFrom := checked.first).elsewhen(isWhole)(contiguousFrom := checked.end)
    }
    when(listing)(cursor := cursor + 1)

    // A hole has been filled at ackTsn: it follows over what is known already. From `sweepPending` on:
    //   idle                          -> sweeping: one TSN a clock is looked up from ackTsn on
    //   nothing but known outcomes    -> jump to knownEnd; done
    //   an outcome that is unknown    -> done
    //   turn over, a message waits    -> paused until that message has been judged, then sweeping again
    // An answer comes KnownOutcomes.latency clocks after its TSN and is used one later: a turn looks up one TSN more than it uses.
    val sweep = new Area {
      private val idle = !check.io.busy && !listing && !reading.isBusy && !reading.done && !RegNext(reading.done, init = False)
      private val fillsHole = RegInit(False)
      private val stop = Bool()

      /** Answers are used a clock after the table gives them; those of a turn that has ended are not. */
      private val answered = Delay(sweeping && !stop, KnownOutcomes.latency + 1, init = False) && sweeping
      private val isKnown = RegNext(known.io.isKnown)
      val isContiguous = RegNext(!Sn.behind(ackTsn, contiguousFrom)) init False

      /** Clocks left in this turn; the sign ends it. */
      val turn = Reg(UInt(6 bits))
      when(startsList)(fillsHole := fromAck && !isWhole)
      when(ends && fillsHole)(sweepPending := True)
      when(checked.valid)(sweepPaused := False)
      when(sweepPending && idle && !sweeping && !sweepPaused) {
        sweeping := True
        cursor := ackTsn
        turn := OutcomeIntake.sweepTurn + 1
      }
      stop := False
      when(sweeping) {
        cursor := cursor + 1
        when(!turn.msb)(turn := turn - 1)
        when(answered && isKnown)(ackTsn := ackTsn + 1)
        when(isContiguous) {
          ackTsn := knownEnd
          contiguousFrom := knownEnd
          sweepPending := False
          stop := True
        } elsewhen (answered && !isKnown) {
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
  io.busy := check.io.busy || listing || check.io.start || reading.isBusy || sweepPending

  Invariant.onward(ackTsn, "ackTsn", link.firstSn)
  Invariant.onward(peerRxBase, "peerRxBase", link.firstSn)
  Invariant(!Sn.behind(io.txEdge, ackTsn), "an outcome is known of what was not sent")
  Invariant(!Sn.behind(io.nextFsn, peerRxBase), "peerRxBase is above a frame that was not sent")
  if (hasHoles) {
    Invariant(!Sn.behind(knownEnd, ackTsn), "ackTsn has passed what is known")
    Invariant(!Sn.behind(io.txEdge, knownEnd), "an outcome was listed of what was not sent")
  }
  reads.build()
}

object OutcomeIntake {

  /** From `listed` to `outcome`: its bit is read while the table says whether it is known. */
  val latency = KnownOutcomes.latency

  /** TSNs that a sweep looks up before it lets a message go first. */
  val sweepTurn = 16
}
