// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.LinkConfig
import arqlink.lib.{BlockRam, Invariant}
import arqlink.wire.{Sn, Wire}

/** Outcomes to report: 64 of them from TSN `base` on. */
case class OutcomeReport() extends Bundle {
  val base = Wire.sn
  val bitmap = Bits(Wire.bitmapBits bits)
}

/** Outcomes to report: the recent ones at all times, and older ones when they are looked up. */
case class OutcomePort(link: LinkConfig) extends Bundle with IMasterSlave {

  /** Block number of TSN rxNext: TSN / 32. */
  val current = OutcomeLog.blockNumber

  /** The block in progress and the one before. */
  val recent = OutcomeReport()

  /** First one of two blocks that are complete; one look-up at a time, until its `report` has been accepted. */
  val lookup = Stream(OutcomeLog.blockNumber)

  /** What was looked up: the outcomes belong to the base that comes with them. */
  val report = Stream(OutcomeReport())
  override def asMaster(): Unit = {
    out(current, recent)
    slave(lookup)
    master(report)
  }
}

object OutcomeLog {

  /** Decisions that can wait while a gap as long as the window is being written down. */
  val queueDepth = 16

  /** Places of the queue that `room` keeps free for what is on its way when it falls: the two decisions of one arrival, and one more. */
  private val reserved = 3

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

/** Outcomes of the last window of TSNs, one bit each, in blocks of 32; the newest two blocks are in registers, and older ones in block RAM
  * where the window is more than a block.
  *
  * A decision takes two clocks, and two more for each end of a block that it passes; others wait in a queue meanwhile.
  */
class OutcomeLog(link: LinkConfig) extends Component {
  private val blocks = link.window.windowFrames / Wire.blockBits max 4
  private val blockSize = log2Up(Wire.blockBits)
  val io = new Bundle {
    val push = slave Flow Decision()

    /** There is room for the two decisions of one arrival, up to four clocks later. */
    val room = out Bool ()
    val next = out(Wire.sn)

    /** Decisions are coming, wait, or are being written down. */
    val busy = out Bool ()

    /** Pulse: `next` has moved; so many failed transmissions are among those that it passed. */
    val moved = out Bool ()
    val failed = out UInt (blockSize + 1 bits)
    val port = master(OutcomePort(link))
  }

  val current = Reg(Bits(Wire.blockBits bits)) init 0
  val previous = Reg(Bits(Wire.blockBits bits)) init 0
  val block = Reg(OutcomeLog.blockNumber) init OutcomeLog.firstBlock(link)
  val bit = Reg(UInt(blockSize bits)) init 0
  io.next := block @@ bit

  val waiting = Stream(Decision())
  val queue = StreamFifo(Decision(), OutcomeLog.queueDepth)
  queue.io.push << io.push.toStream
  Invariant.when(io.push.valid)(queue.io.push.ready, "a decision comes, and the queue is full")
  waiting << queue.io.pop
  io.room := RegNext(queue.io.occupancy < OutcomeLog.queueDepth - OutcomeLog.reserved) init True
  val waits = queue.io.occupancy =/= 0

  // Compared in one clock, written down in the next.
  val step = new Area {
    val active, now = RegInit(False)
    val received = Reg(Bool())
    val end = Reg(Wire.sn)
    private val place = received ? UIntToOh(bit, Wire.blockBits) | B(0, Wire.blockBits bits)
    val mark = RegNext(place)
    val isLast = RegNext(end.dropLow(blockSize).asUInt === block)
    private val amount = RegNext(U(Wire.blockBits, blockSize + 1 bits) - bit)
    private val amountLast = RegNext((end.resize(blockSize) - bit).resize(blockSize + 1))

    /** Bits above `bit` are 0. */
    val updated = current | mark
    val fills = now && !isLast
    waiting.ready := !active || now && isLast
    now := active && !now
    when(now) {
      received := False
      when(isLast) {
        active := False
        current := updated
        bit := end.resized
      } otherwise {
        current := 0
        previous := updated
        block := block + 1
        bit := 0
      }
    }
    when(waiting.fire) {
      active := True
      received := waiting.received
      end := waiting.end
    }
    io.moved := RegNext(now) init False
    io.failed := RegNext(now ? ((isLast ? amountLast | amount) - received.asUInt) | U(0)) init 0
    io.busy := active || waits || io.push.valid
  }
  private val full = step.fills
  Invariant.onward(io.next, "rxNext", link.firstSn)
  Invariant.when(step.now)(!Sn.behind(step.end, io.next), "a decision is of what was decided before")

  io.port.current := block
  // The block in progress follows the one before.
  val before = Reg(OutcomeLog.blockNumber) init (OutcomeLog.firstBlock(link) - 1).mod(BigInt(1) << widthOf(block))
  when(full)(before := block)
  Invariant.when(step.now)(Invariant.follows(block, before), "the recent outcomes are not those of their base")
  io.port.recent.base := before @@ U(0, blockSize bits)
  io.port.recent.bitmap := current ## previous

  if (link.window.isBlock) { // no memory: the recent blocks are all that anybody may ask for
    io.port.lookup.ready := True
    io.port.report.valid := False
    io.port.report.payload.assignDontCare()
  } else {
    val older = new Area {
      val ram = BlockRam(Bits(Wire.blockBits bits), blocks) // what is overwritten while it is read is discarded
      ram.write(before.resize(log2Up(blocks)), previous, RegNext(full) init False)

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

      // A block is overwritten when the one `blocks` later is complete. Nobody waits for outcomes as old as that any more.
      private val age = measure.insert(block - first)
      private val isOverwritten = keep.insert(keep(age) > blocks)
      private val judged = judge.isValid && judge(ends)
      val busy, valid = RegInit(False)
      when(lookup.fire)(busy := True)
      when(judged)(valid := !judge(isOverwritten))
      when(judged && judge(isOverwritten) || io.port.report.fire)(busy := False)
      when(io.port.report.fire)(valid := False)
      Builder(stages.zip(stages.tail).map { case (from, to) => StageLink(from, to) })
      lookup.ready := !busy
      Invariant.when(lookup.fire)((lookup.payload + 1 - block).msb, "a block is looked up that is not complete")
      Invariant.when(valid)((first + 1 - block).msb, "a report shows a block that is not complete")
      io.port.report.valid := valid
      io.port.report.base := first @@ U(0, blockSize bits)
      io.port.report.bitmap := words
    }
  }
}
