// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.LinkConfig
import arqlink.lib.{Invariant, SeqNum}
import arqlink.wire._

/** What became of a transmission. */
case class Outcome() extends Bundle {
  val tsn = Wire.sn
  val received = Bool()
}

/** Outcomes of one block of TSNs. */
case class BlockOutcomes() extends Bundle {
  val block = OutcomeLog.blockNumber

  /** A bit each: it counts; it was received. */
  val here, received = Bits(Wire.blockBits bits)
}

/** Turns control units into outcomes of the sender's own transmissions, each once, in any order (docs/architecture.md, "Sender", 3 and 4).
  *
  * One message at a time. Of what [[FeedbackCheck]] accepts, each of the two blocks is compared with its word of [[KnownOutcomes]]: what is reported
  * and not known is new. It becomes known, and is given out, one outcome a clock. Then ackTsn moves over all words that are full, and into the first
  * one that is not.
  */
class OutcomeIntake(link: LinkConfig) extends Component {
  val io = new Bundle {
    val feedback = slave Stream ControlMessage()
    val txEdge = in(Wire.sn)
    val nextFsn = in(Wire.sn)

    /** Not known before. */
    val outcome = master Flow Outcome()

    /** The oldest TSN whose outcome is not known; it moves behind `outcome`. */
    val ackTsn = out(Wire.sn)
    val peerRxBase = out(Wire.sn)

    val busy = out Bool ()
    val judged = out(Judgement())

    /** The table is cleared before the first message. */
    val clear = slave Flow UInt(link.window.slotBits bits)
  }
  private def blockOf(tsn: UInt) = OutcomeLog.blockOf(tsn)

  val ackTsn, peerRxBase = Reg(Wire.sn) init link.firstSn
  io.ackTsn := ackTsn
  io.peerRxBase := peerRxBase

  val asked = OutcomeLog.blockNumber
  val table = new KnownOutcomes(link, asked, io.clear)

  // A message: while it is checked, its two blocks are looked up ----------------------------------------------------------------

  val check = new FeedbackCheck(link)
  private val (message, checked) = (io.feedback, check.io.result)

  /** Outcomes of a message are on their way. */
  val taking = RegInit(False)

  /** No message is being checked, and no outcomes are on their way. A register, as it decides late in a clock which word is looked up. */
  private val isFree = RegInit(True)
  private val starts = message.valid && isFree
  private val startsSecond = RegNext(starts) init False
  check.io.start := starts
  check.io.feedback := message.payload
  check.io.range.txEdge := io.txEdge
  check.io.range.nextFsn := io.nextFsn
  check.io.range.ackTsn := ackTsn
  check.io.range.peerRxBase := peerRxBase
  io.judged.accepted := checked.valid && checked.accepted
  io.judged.rejected := checked.valid && !checked.accepted
  message.ready := checked.valid
  when(checked.valid && checked.movesBase)(peerRxBase := message.rxBase)

  /** The first block's verdict comes with the message's, the second one's a clock later. */
  private val takes = checked.valid && checked.hasOutcomes
  private val takesSecond = RegNext(takes) init False

  /** Of the block that rxNext is in, what is below it: never its last outcome. */
  private val below = RegNext(Cat((0 until Wire.blockBits - 1).map(i => U(i) < message.rxNext.resize(log2Up(Wire.blockBits)))).resize(Wire.blockBits))

  /** ackTsn moves over what is known, while no outcomes are on their way. */
  val walk = new Area {

    /** ackTsn may be behind what is known. */
    val pending, active = RegInit(False)
    val block = Reg(OutcomeLog.blockNumber)
    val asks = active && !starts && !startsSecond && !taking
    when(asks)(block := block + 1)
    when(pending && !active) {
      active := True
      block := blockOf(ackTsn)
    }
  }

  // The stage of each task. The verdict of a message comes with its first block in `act`.
  private val (askAt, measureAt, readAt) = (0, 1, KnownOutcomes.latency)
  private val (actAt, findAt, moveAt) = (readAt + 1, readAt + 2, readAt + 3)
  private val stages = new StageCtrlPipeline
  val ask = stages.ctrl(askAt)
  val measure = stages.ctrl(measureAt)
  val read = stages.ctrl(readAt)
  val act = stages.ctrl(actAt)
  val find = stages.ctrl(findAt)
  val move = stages.ctrl(moveAt)

  val asking = new ask.Area {
    up.valid := starts || startsSecond || walk.asks
    private val second = RegNext(blockOf(message.bitmapBase) + 1)
    asked := startsSecond ? second | (starts ? blockOf(message.bitmapBase) | walk.block)
    val isWalk = insert(!starts && !startsSecond)
    val number = insert(asked)
    val received = insert(startsSecond ? message.bitmap.takeHigh(Wire.blockBits) | message.bitmap.takeLow(Wire.blockBits))
  }

  val measured = new measure.Area {
    private val (number, end) = (this(asking.number), blockOf(message.rxNext))

    /** From the block of ackTsn to that of rxNext. */
    val counts = insert(!SeqNum.isBelow(number, blockOf(ackTsn)) && !SeqNum.isBelow(end, number))
    val isLast = insert(number === end)
  }

  val found = new read.Area {
    val known = insert(table.known)
    private val reported = below | Repeat(!this(measured.isLast), Wire.blockBits)
    val fresh = insert(reported & ~table.known & Repeat(this(measured.counts), Wire.blockBits))
  }

  val acting = new act.Area {
    private val (known, fresh) = (this(found.known), this(found.fresh))
    val isNew = up.isValid && !this(asking.isWalk) && (takes || takesSecond) && fresh.orR
    table.write(this(asking.number), known | fresh, isNew)
    val news = Flow(BlockOutcomes())
    news.valid := isNew
    news.block := this(asking.number)
    news.here := fresh
    news.received := this(asking.received)
    // Of each four outcomes: whether all are known, and which one is the first that is not.
    private val fours = known.subdivideIn(4 bits)
    val full = insert(Cat(fours.map(_.andR)))
    val unknown = insert(Vec(fours.map(four => OHToUInt(OHMasking.first(~four)))))
    val isFull = insert(known.andR)
    val following = insert(this(asking.number) + 1)
  }

  /** The first four outcomes of a block that are not all known; 0 where there are none. */
  private val four = find.insert {
    val open = find(acting.full).asBools.zipWithIndex.map { case (full, i) => !full -> U(i, 3 bits) }
    PriorityMux(open :+ (True -> U(0, 3 bits)))
  }

  /** ackTsn moves to the first TSN of the block that is not known, or to the next block. */
  val moving = new move.Area {
    down.ready := True
    private val isFull: Bool = this(acting.isFull)
    private val moves = up.isValid && this(asking.isWalk)
    private val stops = moves && !isFull

    /** Something has become known since the block was looked up. */
    private val isOld = History(acting.isNew, 0 to moveAt, init = False).orR
    when(moves)(ackTsn := (isFull ? this(acting.following) | this(asking.number)) @@ this(four) @@ this(acting.unknown)(this(four)))
    when(stops) {
      walk.active := False
      walk.pending := isOld
    }
    when(acting.isNew)(walk.pending := True)
    for (at <- measureAt until moveAt; stage = stages.ctrl(at)) stage.throwWhen(stops && stage(asking.isWalk))
    ask.terminateWhen(stops && ask(asking.isWalk))
  }

  // Given out ------------------------------------------------------------------------------------------------------------------

  val giver = new Area {
    val next = acting.news.toStream.stage()
    val isIdle = RegInit(True)
    val left = Reg(Bits(Wire.blockBits bits))
    val current = RegNextWhen(next.payload, isIdle)
    private val rest = left & (left.asUInt - 1).asBits
    private val some = RegNext(!isIdle && left.orR) init False
    private val first = RegNext(left & ~rest)
    next.ready := isIdle
    left := isIdle ? next.here | rest
    // That none is left is known a clock late, and of the first clock not at all.
    isIdle := isIdle ? !next.valid | (!some && !RegNext(isIdle).init(True))
    io.outcome.valid := RegNext(some) init False
    io.outcome.tsn := RegNext(current.block @@ OHToUInt(first))
    io.outcome.received := RegNext((first & current.received).orR)
    val busy = next.valid || !isIdle || some || io.outcome.valid
  }
  taking.setWhen(takes).clearWhen(!takes && !takesSecond && !RegNext(takesSecond, init = False) && !giver.busy)
  isFree := !check.io.willBeBusy && !taking.getAheadValue()
  io.busy := starts || !isFree || walk.pending || walk.active
  stages.build()

  Invariant.onward(ackTsn, "ackTsn", link.firstSn)
  Invariant.onward(peerRxBase, "peerRxBase", link.firstSn)
  Invariant(!SeqNum.isBelow(io.nextFsn, peerRxBase), "peerRxBase is above a frame that was not sent")
  Invariant(!SeqNum.isBelow(io.txEdge, ackTsn), "an outcome was taken of what was not sent")
}
