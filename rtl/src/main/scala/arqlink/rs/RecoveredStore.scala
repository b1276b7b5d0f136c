// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

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
  val margin = 8
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

    /** The three products of each byte, `DecodeMerge.latency` clocks after the order to read; otherwise zero. */
    val products = out Bits (12 * code.dataBytes bits)
  }

  val ringBits = log2Up(depth)
  val base = Reg(UInt(ringBits bits)) init 0

  private val pushed = RegNext(io.comes) init False

  // Words that no lane has read yet.
  val fresh = new Tally(0, depth, up = pushed, down = io.read.valid && io.read.fresh)
  io.fresh := fresh.some

  // A word counts as free a clock late.
  val read = io.read.m2sPipe(holdPayload = true)
  val freed = RegNext(read.valid && read.lastLane) init False
  val places = new Tally(depth - margin, depth, up = freed, down = pushed)
  io.room := places.some

  /** The place to read, for the bytes of a wide beat in registers that count by themselves. */
  private val copies = if (code.isWide) code.dataBytes else 1
  private def copied[T <: Data](make: => T, name: String) = Seq.tabulate(copies)(i => Kept(make, s"${name}_$i"))
  private val reads = copied(RegNext(io.read.valid) init False, "reads")
  private val returns = copied(RegNext(io.read.unitEnd && !io.read.lastLane), "returns")
  private val at = copied(Reg(UInt(ringBits bits)) init 0, "at")
  for (i <- 0 until copies) when(reads(i))(at(i) := returns(i) ? base | (at(i) + 1))
  when(read.valid && read.unitEnd && read.lastLane)(base := at.head + 1)

  // Block RAM, its output register, the choice of the lane in two steps. A copy for each byte of what goes far keeps fan-out small.
  private val laneFetched = copied(RegNextWhen(read.lane, read.valid), "laneFetched")
  io.products := Cat(for ((words, b) <- io.sums.words.grouped(3).toSeq.zipWithIndex) yield {
    def after(x: Bool, name: String) = Kept(RegNext(x) init False, s"${name}_$b")
    val writes = after(io.comes, "writes")
    val copy = b % copies
    val fetched = after(reads(copy), "fetched")
    val given = after(fetched, "given")
    val chosen = after(given, "chosen")
    val lanes = Kept(Reg(Bits(code.maxParity bits)), s"lanes_$b")
    when(fetched)(lanes := UIntToOh(laneFetched(copy), code.maxParity))
    val writeAt = Kept(Reg(UInt(ringBits bits)) init 0, s"writeAt_$b")
    when(writes)(writeAt := writeAt + 1)
    val products = Reg(Bits(12 bits)).setName(s"products_$b")
    products := Cat(for ((word, p) <- words.zipWithIndex) yield {
      val store = BlockRam(Bits(4 * code.maxParity bits), depth).setName(s"words_${b}_$p")
      store.write(writeAt, word, writes)
      val sums = RegNextWhen(store.readSync(at(copy), enable = reads(copy)), fetched)
      val shown = for ((sum, lane) <- sums.subdivideIn(4 bits).zip(lanes.asBools)) yield sum & B(4 bits, default -> lane)
      shown.toSeq.grouped(2).map(pair => RegNextWhen(pair.reduce(_ ^ _), given)).toSeq.reduceBalancedTree(_ ^ _)
    })
    when(!chosen)(products := 0)
    products
  })
}
