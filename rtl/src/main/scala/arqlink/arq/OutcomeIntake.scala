// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink.config.LinkConfig
import arqlink.lib.Invariant
import arqlink.wire._

/** Turns control units into outcomes of the sender's own transmissions, each once, in any order (docs/architecture.md, "Sender", 3 and 4).
  *
  * A message is taken whole or not at all: rxNext must lie within ackTsn … txEdge and rxBase within the last rxBase …
  * nextFsn, so that nothing from the air can free what was not sent. Its outcomes are listed from the first one on that may be new, one a clock.
  *
  * All below `ackTsn` is known, nothing from `top` on is, and from `solid` to `top` all is known again. Between `ackTsn` and `solid` there are
  * holes; which outcomes are known there, [[KnownOutcomes]] tells. Without a hole all three are equal. A window of one block has no holes: each message
  * shows all that may be missing.
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
  val top, solid = hasHoles generate (Reg(Wire.sn) init 0)
  val peerRxBase = Reg(Wire.sn) init 0
  io.ackTsn := ackTsn
  io.peerRxBase := peerRxBase

  /** Outcomes that are older than this the peer will not show unasked. */
  private val repeated = new RepeatLags(link, io.peerWindowLog2).repeated

  // A message takes four clocks: distances, what they say, what follows, what is done about it. It stays on the port meanwhile.
  val measuring, comparing, judging, acting, listing = RegInit(False)
  val sweeping = RegInit(False)

  /** ackTsn may be behind; the sweep has let a message go first. */
  val sweepDue, yielded = RegInit(False)
  private val busy = Seq(measuring, comparing, judging, acting, listing).orR
  measuring := io.feedback.valid && !busy && (!sweepDue || yielded)
  comparing := measuring
  judging := comparing
  acting := judging

  // Distances: of its numbers from what they have to lie between, and of its bitmap from what is known.
  val advance = RegNext(io.feedback.rxNext - ackTsn)
  val sent = RegNext((io.txEdge - ackTsn).resize(spanBits))
  val baseAdvance = RegNext(io.feedback.rxBase - peerRxBase)
  val baseSpan = RegNext(io.nextFsn - peerRxBase) // the peer's window may be the larger one
  val toEnd = RegNext(io.feedback.rxNext - io.feedback.bitmapBase)
  val toAck = RegNext(ackTsn - io.feedback.bitmapBase)
  val toTop = if (hasHoles) RegNext(top - io.feedback.bitmapBase) else toAck
  val isSolid = if (hasHoles) RegNext(!Sn.behind(io.feedback.bitmapBase, solid)) else False

  // A window is a power of two: up to that far behind are the numbers with nothing but ones in the bits above it.
  private def above(x: UInt) = x(snBits - 1 downto slotBits)
  private def within(x: UInt, span: UInt) = !x(snBits - 1 downto spanBits).orR && x.resize(spanBits) <= span
  val ahead = RegNext(within(advance, sent))
  val stale = RegNext(above(advance).andR)
  val baseAhead = RegNext(baseAdvance <= baseSpan)
  val baseStale = RegNext(above(baseAdvance).andR)

  /** Outcomes of the message: those below rxNext, 64 at most. */
  val shown = RegNext(toEnd.msb ? U(0) | (toEnd.dropLow(6).orR ? U(Wire.bitmapBits, 7 bits) | toEnd.resize(7)))

  /** As many of them are known for certain, from the first one on, or all. */
  val skipped = RegNext {
    val known = isSolid ? toTop | toAck
    known.msb ? U(0, 7 bits) | (known.dropLow(6).orR ? U(Wire.bitmapBits, 7 bits) | known.resize(7))
  }
  val missed = RegNext(toAck.msb && (toAck + repeated).msb)

  val judged = (ahead || stale) && (baseAhead || baseStale)
  val tells = judged && ahead
  val some = shown > skipped
  io.judged.accepted := RegNext(judging && judged) init False
  io.judged.rejected := RegNext(judging && !judged) init False
  io.gap := RegNext(judging && tells && missed) init False
  val moves = RegNext(judging && judged && baseAhead) init False
  when(moves)(peerRxBase := io.feedback.rxBase)

  /** Outcomes to list, and where they begin. Where there are no holes a message that begins beyond ackTsn is of no use. */
  val lists = RegNext(judging && tells && some && (if (hasHoles) True else !toAck.msb)) init False
  val first = RegNext(io.feedback.bitmapBase + skipped)
  val firstBit = RegNext(skipped.resize(6))
  val lessOne = RegNext((shown - skipped - 1).resize(6))
  val fromAck = if (hasHoles) RegNext(skipped === toAck) else True

  val bitmap = if (relaxed) io.feedback.bitmap else Reg(Bits(Wire.bitmapBits bits))
  val cursor = if (hasHoles) Reg(Wire.sn) else ackTsn
  val index = Reg(UInt(6 bits))
  val left = Reg(UInt(6 bits))
  val movesAck = RegInit(False)
  private val ends = listing && left === 0
  when(lists) {
    listing := True
    if (!relaxed) bitmap := io.feedback.bitmap
    index := firstBit
    left := lessOne
    movesAck := fromAck
  }
  when(listing) {
    index := index + 1
    left := left - 1
    when(movesAck)(ackTsn := ackTsn + 1)
  }
  when(ends)(listing := False)
  // Where the bitmap is not copied the message stays until its last bit is being read.
  io.feedback.ready := (if (relaxed) acting && !lists || ends else acting)

  // The bit in two clocks: its byte, then itself.
  val reading = new Area {
    val valid = RegNext(listing) init False
    val byte = RegNext(bitmap.subdivideIn(8 bits)(index(5 downto 3)))
    val place = RegNext(index(2 downto 0))
    val told = RegNext(valid) init False
  }
  io.listed := cursor
  io.outcome.payload := RegNext(reading.byte(reading.place))

  if (!hasHoles) {
    io.outcome.valid := reading.told
    io.isWhole := listing
  } else {
    val known = new KnownOutcomes(link)
    known.io.clear << io.clear
    known.io.tsn := cursor.resized
    known.io.mark := io.outcome.valid
    io.outcome.valid := reading.told && !known.io.isKnown

    val raises = RegNext(toTop.msb || !toTop.dropLow(6).orR && shown > toTop.resize(7))
    val opensHole = RegNext(toTop.msb)
    val end = RegNext(io.feedback.bitmapBase + shown)
    val isWhole = RegNext(ackTsn === top) init True
    io.isWhole := isWhole
    when(lists) {
      cursor := first
      when(raises)(top := end)
      when(opensHole)(solid := first).elsewhen(isWhole)(solid := end)
    }
    when(listing)(cursor := cursor + 1)

    // ackTsn follows over what is known already: with a jump where no hole is left, else one a clock, for a while between two messages.
    val sweep = new Area {
      private val idle = !busy && !reading.valid && !reading.told && !RegNext(reading.told, init = False)
      private val fillsHole = RegInit(False)
      private val stop = Bool()
      val asked = Delay(sweeping && !stop, KnownOutcomes.latency, init = False) && sweeping
      val isSolid = RegNext(!Sn.behind(ackTsn, solid)) init False

      /** Answers left in this turn; the sign ends it. */
      val turn = Reg(UInt(6 bits))
      when(lists)(fillsHole := fromAck && !isWhole)
      when(ends && fillsHole)(sweepDue := True)
      when(acting)(yielded := False)
      when(sweepDue && idle && !sweeping && !yielded) {
        sweeping := True
        cursor := ackTsn
        turn := OutcomeIntake.sweepTurn
      }
      stop := False
      when(sweeping) {
        cursor := cursor + 1
        when(!turn.msb)(turn := turn - 1)
        when(asked && known.io.isKnown)(ackTsn := ackTsn + 1)
        when(isSolid) {
          ackTsn := top
          solid := top
          sweepDue := False
          stop := True
        } elsewhen (asked && !known.io.isKnown) {
          sweepDue := False
          stop := True
        } elsewhen (turn.msb && io.feedback.valid) {
          yielded := True
          stop := True
        }
        when(stop)(sweeping := False)
      }
    }
  }
  io.busy := busy || reading.valid || sweepDue

  Invariant(!Sn.behind(io.txEdge, ackTsn), "an outcome is known of what was not sent")
  Invariant(!Sn.behind(io.nextFsn, peerRxBase), "the peer is believed to have passed a frame that was not sent")
  if (hasHoles) {
    Invariant(!Sn.behind(top, ackTsn), "ackTsn has passed what is known")
    Invariant(!Sn.behind(io.txEdge, top), "an outcome was listed of what was not sent")
  }
}

object OutcomeIntake {

  /** From `listed` to `outcome`. */
  val latency = 2

  /** TSNs that a sweep looks at before it lets a message go first. */
  val sweepTurn = 16
}
