// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.CodeConfig
import arqlink.gf.TowerLogic
import arqlink.lib.Invariant

/** A beat on its way into the multiply-accumulate array. */
case class MacBeat(code: CodeConfig, parts: Int) extends Bundle {
  val data = Bits(code.dataBits bits)

  /** Position within the unit, as `BeatCounter.address`. */
  val position = UInt(code.unitBeatBits bits)

  /** The sums before this beat count as zero; a bit for each of `parts` equal parts of the lanes. With the first unit of a frame the
    * sums begin anew.
    */
  val hide = Bits(parts bits)

  /** First beat of a unit: takes the coefficients. */
  val load = Bool()

  /** Adds coefficient times data to the sums; otherwise the sums are only read. */
  val add = Bool()

  /** The sums with this beat are to be given. */
  val give = Bool()
}

/** The sums of all lanes at one position of a unit, unreduced: for each byte the three products of `TowerField`, each as a word that
  * holds lane i in bits 4i+3:4i.
  */
case class MacSums(code: CodeConfig) extends Bundle {
  val words = Vec(Bits(4 * code.maxParity bits), 3 * code.dataBytes)

  /** Sums over all lanes, 12 bits a byte, in parts of four lanes. */
  def merged: Vec[Bits] = Vec(
    for (lanes <- (0 until code.maxParity).grouped(4).toSeq)
      yield Cat(words.map(word => lanes.map(i => word(4 * i, 4 bits)).reduceBalancedTree(_ ^ _)))
  )
}

object MacSums {

  /** The bytes that the products of a lane make. */
  def reduce(products: Bits): Bits = Cat(products.subdivideIn(12 bits).map(TowerLogic.result))

  /** The bytes of the one lane that is not hidden. */
  def reduce(parts: Vec[Bits]): Bits = reduce(parts.reduceBalancedTree(_ ^ _))
}

/** maxParity lanes that multiply each byte by the unit's coefficients and add the products up, one sum per byte position
  * of a unit and lane. A beat in each clock; nothing stalls. The sums with a beat are there `MacArray.latency` clocks after it.
  *
  * A coefficient is constant over a unit, so it is expanded once into the bit matrices of its three operands ([[gf.TowerField]]): a bit
  * of a sum costs two LUTs for four products of bits, and one that adds them to the sum before.
  *
  * The sums are read a clock ahead of the addition and written in it: that never is the position that another beat is about to write. From sixteen
  * beats on they are in block RAM, read two clocks ahead and written a clock later.
  */
class MacArray(code: CodeConfig, parts: Int) extends Component {
  require(code.maxParity % parts == 0, s"$parts parts of ${code.maxParity} lanes are not equal")
  import MacArray._
  val width = 4 * code.maxParity
  val io = new Bundle {
    val input = slave(Flow(MacBeat(code, parts)))

    /** Tower bytes; those of a unit are to be there `MacArray.expandAt` clocks after its first beat. */
    val coefficients = in(Vec(Bits(8 bits), code.maxParity))
    val sums = out(MacSums(code))

    /** In the next clock `sums` are to be read. */
    val comes = out Bool ()
  }

  /** A block RAM saves a third of the array's LUTs, but has 512 words, of which short units would use few. */
  private val inBlockRam = code.unitBeats >= 16
  private val (fetchAt, writeAt) = if (inBlockRam) (addAt - 2, addAt + 1) else (addAt - 1, addAt)
  private val stages = new StagePipeline
  val enter = stages(0)
  val expand = stages(expandAt)
  val multiply = stages(multiplyAt)
  val add = stages(addAt)
  private val (fetch, write) = (stages(fetchAt), stages(writeAt))

  enter.valid := io.input.valid
  val BEAT = enter.insert(io.input.payload)
  val LOADS = enter.insert(io.input.valid && io.input.load)
  io.comes := add.valid && add(BEAT).give

  // The matrices: column i of product p, four bits a lane.
  val columns = Vec(Reg(Bits(width bits)), 12)
  when(expand(LOADS)) {
    val low = Cat(io.coefficients.map(_(3 downto 0)))
    val high = Cat(io.coefficients.map(_(7 downto 4)))
    for ((column, value) <- columns.zip(Seq(low, high, low ^ high).flatMap(TowerLogic.columns))) column := value
  }
  val COLUMNS = stages(expandAt + 1).insert(columns)
  Invariant.when(expand(LOADS) && expand.valid)(expand(BEAT).position === code.unitBeats - 2, "coefficients change within a unit")
  for (later <- (fetchAt + 1 to writeAt).map(stages(_)))
    Invariant.when(fetch.valid && later.valid)(fetch(BEAT).position =/= later(BEAT).position, "a sum is read that a beat before changes")

  for (b <- 0 until code.dataBytes) {

    /** What the stages of a byte need to know: a copy for each byte keeps fan-out small. */
    def near[T <: Data](at: Node, of: Payload[T]): T = at(of).addAttribute("keep")
    val WRITES = enter.insert(io.input.valid && io.input.add)
    val POSITION = expand.insert(expand(BEAT).position)
    val HIDE = expand.insert(expand(BEAT).hide)
    val ADDS = enter.insert(io.input.add)

    // Nothing to add is a zero: the flip-flops' reset makes it without a gate. A copy for every four lanes keeps fan-out small.
    val form = near(expand, ADDS) ? TowerLogic.form(expand(BEAT).data(8 * b, 8 bits)) | B(0, 12 bits)
    val forms = Seq.fill((code.maxParity + 3) / 4)(near(multiply, expand.insert(form)))
    lazy val fetchPosition = near(fetch, POSITION)
    val hidden = Cat(near(add, HIDE).asBools.map(hide => B(width / parts bits, default -> hide)))
    val (position, writes) = (near(write, POSITION), near(write, WRITES))
    for (p <- 0 until 3) {
      def product(i: Int) = multiply(COLUMNS)(4 * p + i) & Cat(Seq.tabulate(code.maxParity)(lane => B(4 bits, default -> forms(lane / 4)(4 * p + i))))
      val pairs = for (i <- Seq(0, 2)) yield multiply.insert(product(i) ^ product(i + 1))
      val store = Mem(Bits(width bits), 1 << code.unitBeatBits).setName(s"sums_${b}_$p")
      if (inBlockRam) store.addAttribute("no_rw_check").addAttribute("ram_style", "block")
      val BEFORE =
        if (inBlockRam) stages(fetchAt + 1).insert(store.readSync(fetch(BEAT).position))
        else fetch.insert(store.readAsync(fetchPosition, writeFirst))
      val SUM = add.insert(pairs.map(add(_)).reduce(_ ^ _) ^ (add(BEFORE) & ~hidden))
      store.write(position, write(SUM), writes)
      io.sums.words(3 * b + p) := stages(latency)(SUM)
    }
  }
  stages.build()
}

object MacArray {

  /** The stage of each task, in clocks from a beat's arrival on: its unit's coefficients are taken, products are made, and added to the sums. */
  val expandAt = 1
  val multiplyAt = expandAt + 1
  val addAt = multiplyAt + 1

  /** Clocks from a beat to the sums with it. */
  val latency = addAt + 1
}
