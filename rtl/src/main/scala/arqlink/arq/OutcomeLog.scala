// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.LinkConfig
import arqlink.lib.{BlockRam, Invariant, SeqNum}
import arqlink.wire.Wire

/** Outcomes to report: 64 of them from TSN `base` on. */
case class OutcomeReport() extends Bundle {
  val base = Wire.sn
  val bitmap = Bits(Wire.bitmapBits bits)
}

/** Outcomes to report: the recent ones at all times, and older ones when they are looked up. */
case class OutcomePort(link: LinkConfig) extends Bundle with IMasterSlave {

  /** The block in progress and the one before. */
  val recent = OutcomeReport()

  /** First one of two blocks that are complete; one look-up at a time, until its `report` has been accepted. */
  val lookup = Stream(OutcomeLog.blockNumber)

  /** What was looked up: the outcomes belong to the base that comes with them. */
  val report = Stream(OutcomeReport())
  override def asMaster(): Unit = {
    out(recent)
    slave(lookup)
    master(report)
  }
}

object OutcomeLog {

  /** From a decision to what shows it. */
  val latency = 2

  def blockNumber: UInt = UInt(Wire.snBits - log2Up(Wire.blockBits) bits)

  /** That of the first TSN. */
  def firstBlock(link: LinkConfig): BigInt = link.firstSn / Wire.blockBits

  /** The block that a TSN's outcome is in. */
  def blockOf(tsn: UInt): UInt = tsn.dropLow(log2Up(Wire.blockBits)).asUInt
}

/** Outcomes that have been decided: `received` or failed, of the TSN that is next; all that follow below `end` have failed. */
case class Decision() extends Bundle {
  val received = Bool()
  val end = Wire.sn
}

/** A block that is complete; in the `blocks` - 1 that follow no transmission was received. `isOne`: none follows. */
case class CompleteBlock() extends Bundle {
  val outcomes = Bits(Wire.blockBits bits)
  val blocks = OutcomeLog.blockNumber
  val isOne = Bool()
}

/** Keeps the outcomes of a window: the block in progress and the one before it in registers, all that are complete in block RAM.
  *
  * A decision is written down in two clocks, whatever gap in the TSNs it closes, and one may come in each clock. Blocks go to the RAM one a clock, those
  * of a gap too; meanwhile the ones that become complete wait, and so do look-ups.
  */
class OutcomeLog(link: LinkConfig) extends Component {
  private val blocks = link.window.windowFrames / Wire.blockBits max 4
  private val blockSize = log2Up(Wire.blockBits)
  val io = new Bundle {
    val push = slave Flow Decision()

    /** There is room for the two decisions of one arrival, up to four clocks later. */
    val room = out Bool ()
    val next = out(Wire.sn)

    /** Pulse: `next` has moved; so many failed transmissions are among those that it passed. */
    val moved = out Bool ()
    val failed = out(Wire.sn)
    val port = master(OutcomePort(link))
  }

  val current, previous = Reg(Bits(Wire.blockBits bits)) init 0
  val next = Reg(Wire.sn) init link.firstSn
  val block = OutcomeLog.blockOf(next)
  io.next := next

  // Measured in one clock, written down in the next.
  val step = new Area {
    val end = RegNextWhen(io.push.end, io.push.valid) init link.firstSn
    val now = RegNext(io.push.valid) init False
    private val received = RegNext(io.push.received)
    private val mark = RegNext(io.push.received ? UIntToOh(end.resize(blockSize), Wire.blockBits) | B(0, Wire.blockBits bits))
    private val amount = RegNext(io.push.end - end)
    private val (blockThen, blockNow) = (OutcomeLog.blockOf(io.push.end), OutcomeLog.blockOf(end))

    /** The block after `blockNow`, added up before it is compared. */
    private val following = RegNextWhen(blockThen + 1, io.push.valid) init OutcomeLog.firstBlock(link) + 1
    val blocks = RegNext(blockThen - blockNow)
    val isOne = RegNext(blockThen === following)
    private val isOther = RegNext(blockThen =/= blockNow)

    /** Bits above that of `next` are 0. */
    val updated = current | mark
    val fills = now && isOther
    when(now) {
      next := end
      current := updated
    }
    when(fills) {
      current := 0
      previous := isOne ? updated | B(0)
    }
    io.moved := RegNext(now) init False
    io.failed := RegNext(now ? (amount - received.asUInt) | U(0)) init 0
    Invariant.when(now)(!SeqNum.isBelow(end, next), "a decision is of what was decided before")
  }
  Invariant.onward(next, "rxNext", link.firstSn)

  /** The block in progress follows the one before. */
  val before = RegNextWhen(OutcomeLog.blockOf(step.end) - 1, step.fills) init (OutcomeLog.firstBlock(link) - 1).mod(BigInt(1) << widthOf(block))
  Invariant(SeqNum.follows(block, before), "the recent outcomes are not those of their base")
  io.port.recent.base := before @@ U(0, blockSize bits)
  io.port.recent.bitmap := current ## previous

  if (link.window.isBlock) { // no memory: the recent blocks are all that anybody may ask for
    io.room := True
    io.port.lookup.ready := True
    io.port.report.valid := False
    io.port.report.payload.assignDontCare()
  } else {
    val older = new Area {
      val ram = BlockRam(Bits(Wire.blockBits bits), blocks) // what is overwritten while it is read is discarded

      /** Blocks on their way to the RAM. The longest gap takes a clock for each block of a window, and on the line no 32 transmissions take less than 128. */
      val complete = StreamFifo(CompleteBlock(), blocks / 64 + 8)
      complete.io.push.valid := step.fills
      complete.io.push.outcomes := step.updated
      complete.io.push.blocks := step.blocks
      complete.io.push.isOne := step.isOne
      Invariant.when(step.fills)(complete.io.push.ready, "a block is complete, and the queue is full")
      io.room := RegNext(complete.io.availability > 3) init True

      /** Below this block all is in the RAM. */
      val written = Reg(OutcomeLog.blockNumber) init OutcomeLog.firstBlock(link)

      /** Blocks that are left of a gap. */
      private val left = Reg(OutcomeLog.blockNumber)
      private val inGap = RegInit(False)
      complete.io.pop.ready := !inGap
      ram.write(written.resized, inGap ? B(0, Wire.blockBits bits) | complete.io.pop.outcomes, inGap || complete.io.pop.valid)
      when(inGap || complete.io.pop.valid) {
        written := written + 1
        left := (inGap ? left | complete.io.pop.blocks) - 1
        inGap := inGap ? (left =/= 1) | !complete.io.pop.isOne
      }

      // A look-up reads two words: its block's, and that of the one after it.
      // The stage of each task.
      private val (readAt, measureAt, keepAt, judgeAt) = (0, 1, 2, 3)
      private val stages = Seq.fill(judgeAt + 1)(Node())
      val read = stages(readAt)
      val measure = stages(measureAt)
      val keep = stages(keepAt)
      val judge = stages(judgeAt)
      val lookup = io.port.lookup
      val first = RegNextWhen(lookup.payload, lookup.fire)
      private val begins = RegNext(lookup.fire) init False
      private val isSecond = RegNext(begins) init False
      read.valid := begins || isSecond
      private val ends = read.insert(isSecond)
      private val address = isSecond ? (first + 1) | first
      private val word = measure.insert(ram.readSync(address.resize(log2Up(blocks))))
      val words = Reg(Bits(Wire.bitmapBits bits))
      when(keep.isValid)(words := keep(word) ## words.dropLow(Wire.blockBits))

      // A block is overwritten when the one `blocks` later is complete, and nobody waits for outcomes as old as that any more. Of two blocks the first
      // one may be gone: what is in its place means nothing.
      private val age = measure.insert(block - first)
      private val isOverwritten = keep.insert(keep(age) > blocks + 1)
      private val judged = judge.isValid && judge(ends)
      val busy, valid = RegInit(False)
      when(lookup.fire)(busy := True)
      when(judged)(valid := !judge(isOverwritten))
      when(judged && judge(isOverwritten) || io.port.report.fire)(busy := False)
      when(io.port.report.fire)(valid := False)
      Builder(stages.zip(stages.tail).map { case (from, to) => StageLink(from, to) })
      lookup.ready := !busy && (RegNext(written === block) init False)
      Invariant.when(lookup.fire)(SeqNum.isBelow(lookup.payload + 1, block), "a block is looked up that is not complete")
      Invariant.when(valid)(SeqNum.isBelow(first + 1, block), "a report shows a block that is not complete")
      io.port.report.valid := valid
      io.port.report.base := first @@ U(0, blockSize bits)
      io.port.report.bitmap := words
    }
  }
}
