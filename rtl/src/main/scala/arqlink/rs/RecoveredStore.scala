// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.CodeConfig
import arqlink.lib.{BlockRam, Kept, Tally}

/** A beat of a missing unit, to be made from the sums of its lane. */
case class RecoveredBeat(code: CodeConfig) extends Bundle {
  val lane = UInt(Lanes.bits(code) bits)

  /** Of a frame's first missing unit; of its last one; the last one of its unit. */
  val fresh, lastLane, unitEnd = Bool()
}

/** Holds the final sums of a frame while its missing units are read out, one lane after the other.
  *
  * The memory is a ring of words, one per beat of a unit; a word is given up when the last lane has read it. So there is
  * room for the sums of the next frames while this one is still being read.
  */
class RecoveredStore(code: CodeConfig) extends Component {
  import RecoveredStore._

  /** Words that may still come when `room` has gone low: those on their way through the array. */
  val margin = MacArray.latency + 4
  val depth = 1 << log2Up(2 * code.unitBeats + 2 * margin)
  val io = new Bundle {
    val sums = in(MacSums(code))

    /** In the next clock `sums` are to be read. */
    val comes = in Bool ()

    /** More than `margin` further words fit. */
    val room = out Bool ()

    /** A word is there that no unit was made from yet. The first unit of a frame has to wait for it. */
    val fresh = out Bool ()
    val read = slave(Flow(RecoveredBeat(code)))

    /** The three products of each byte, `RecoveredStore.latency` clocks after the order to read; otherwise zero. */
    val products = out Bits (12 * code.dataBytes bits)
  }

  val ringBits = log2Up(depth)
  val base = Reg(UInt(ringBits bits)) init 0

  /** Sums on their way: announced, and there in the next clock. */
  private val arrival = new StagePipeline
  private val (come, write) = (arrival(0), arrival(1))
  come.valid := io.comes

  // Words that no lane has read yet.
  val fresh = new Tally(0, depth, up = write.valid, down = io.read.valid && io.read.fresh)
  io.fresh := fresh.some

  private val stages = new StagePipeline
  private val (order, fetch, mask) = (stages(0), stages(fetchAt), stages(chooseAt - 1))
  private val (choose, merge) = (stages(chooseAt), stages(mergeAt))
  order.valid := io.read.valid
  val BEAT = order.insert(io.read.payload)

  // A word counts as free a clock late.
  private val frees = fetch.valid && fetch(BEAT).lastLane
  val freed = RegNext(frees) init False
  val places = new Tally(depth - margin, depth, up = freed, down = write.valid)
  io.room := places.some

  /** The place to read, for the bytes of a wide beat in registers that count by themselves. A copy for each byte of what goes far keeps fan-out small. */
  val readers = for (i <- 0 until (if (code.isWide) code.dataBytes else 1)) yield new Area {
    val READS = order.insert(io.read.valid)
    val RETURNS = order.insert(io.read.unitEnd && !io.read.lastLane)
    val reads = Kept(fetch(READS), s"reads_$i")
    private val returns = Kept(fetch(RETURNS), s"returns_$i")
    val at = Kept(Reg(UInt(ringBits bits)) init 0, s"at_$i")
    when(reads)(at := returns ? base | (at + 1))
  }
  when(frees && fetch(BEAT).unitEnd)(base := readers.head.at + 1)

  // Block RAM, its output register, the choice of the lane in two steps. Without an order no lane is chosen.
  io.products := Cat(for ((words, b) <- io.sums.words.grouped(3).toSeq.zipWithIndex) yield {
    val reader = readers(b % readers.size)
    val LANES = mask.insert(mask.valid ? UIntToOh(mask(BEAT).lane, code.maxParity) | B(0, code.maxParity bits))
    val lanes = Kept(choose(LANES), s"lanes_$b")
    val writes = Kept(write(come.insert(io.comes)), s"writes_$b")
    val writeAt = Kept(Reg(UInt(ringBits bits)) init 0, s"writeAt_$b")
    when(writes)(writeAt := writeAt + 1)
    val chosen = for ((word, p) <- words.zipWithIndex) yield {
      val store = BlockRam(Bits(4 * code.maxParity bits), depth).setName(s"words_${b}_$p")
      store.write(writeAt, word, writes)
      val SUMS = stages(fetchAt + 1).insert(store.readSync(reader.at, enable = reader.reads))
      val shown = for ((sum, lane) <- choose(SUMS).subdivideIn(4 bits).zip(lanes.asBools)) yield sum & B(4 bits, default -> lane)
      val PAIRS = shown.toSeq.grouped(2).map(pair => choose.insert(pair.reduce(_ ^ _))).toSeq
      PAIRS.map(merge(_)).reduceBalancedTree(_ ^ _)
    }
    stages(latency)(merge.insert(Cat(chosen)))
  })
  arrival.build()
  stages.build()
}

object RecoveredStore {

  /** The stage of each task, in clocks from the order on: the sums are read, a lane is chosen of every two, and of all. */
  private val fetchAt = 1
  private val chooseAt = fetchAt + 2
  private val mergeAt = chooseAt + 1

  /** Clocks from the order to read a beat to its products. */
  val latency = mergeAt + 1
}
