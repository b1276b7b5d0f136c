// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

import arqlink._
import arqlink.gf.GfLogic

/** A beat on its way into the multiply-accumulate array. */
case class MacBeat[T <: Data](code: CodeConfig, tagType: HardType[T]) extends Bundle {
  val data = Bits(code.dataBits bits)

  /** Position within the unit. */
  val beat = UInt(code.unitBeatBits bits)

  /** Belongs to the first unit of a frame: the sums begin anew. */
  val first = Bool()

  /** First beat of a unit: takes the next vector of coefficients. */
  val load = Bool()

  /** Adds coefficient times data to the sums; otherwise the sums are only read. */
  val add = Bool()

  /** Travels along. */
  val tag = tagType()
}

/** A beat with the sums after it, as in `Lanes.select`. */
case class MacSum[T <: Data](code: CodeConfig, tagType: HardType[T]) extends Bundle {
  val data = Bits(code.dataBits bits)
  val sums = Vec(Bits(8 * code.maxParity bits), code.dataBytes)
  val tag = tagType()

  /** The beat of the unit that lane `lane` computes. */
  def unit(lane: UInt): Bits = Lanes.select(sums, lane)
}

/** maxParity lanes that multiply each byte by the unit's coefficients and add the products up, one sum per byte position
  * of a unit and lane. Five clocks from input to output.
  *
  * A coefficient is constant over a unit, so it is expanded once into the columns of its bit matrix; a product
  * is then a sum of columns. The sums are read, changed and written within one stage: a unit may be as short as one beat.
  */
class MacArray[T <: Data](code: CodeConfig, tagType: HardType[T]) extends Component {
  val width = 8 * code.maxParity
  val io = new Bundle {
    val input = slave(Stream(MacBeat(code, tagType)))
    val coefficients = slave(Stream(Vec(Bits(8 bits), code.maxParity)))

    /** Every stage moves when `output.ready` is high, so it must not wait for `valid`. */
    val output = master(Stream(MacSum(code, tagType)))
  }

  /** Beat with its products, lanes as in `Lanes.select`. */
  case class Product() extends Bundle {
    val beat = MacBeat(code, tagType)
    val products = Vec(Bits(width bits), code.dataBytes)
  }

  val taken = io.input.haltWhen(io.input.load && !io.coefficients.valid)
  io.coefficients.ready := taken.fire && taken.load

  val loaded = taken.m2sPipe(collapsBubble = false, holdPayload = true)
  val vector = RegNextWhen(io.coefficients.payload, io.coefficients.fire)

  val expanded = loaded.m2sPipe(collapsBubble = false, holdPayload = true)
  val columns = Vec(Reg(Bits(width bits)), 8)
  when(loaded.fire && loaded.load) {
    for ((column, value) <- columns.zip(GfLogic.columns(vector.asBits))) column := value
  }

  val multiplied = expanded.map { beat =>
    val p = Product()
    p.beat := beat
    for ((bits, product) <- beat.data.subdivideIn(8 bits).zip(p.products)) {
      val terms = for (i <- 0 until 8) yield columns(i) & B(width bits, default -> (bits(i) && beat.add))
      product := terms.reduceBalancedTree(_ ^ _)
    }
    p
  }.m2sPipe(collapsBubble = false, holdPayload = true)

  val position = multiplied.beat.beat
  val sums = Vec(for ((product, b) <- multiplied.products.zipWithIndex) yield {
    val store = Mem(Bits(width bits), code.unitBeats max 2).setName(s"sums_$b")
    // Long units are kept in block RAM, read a clock ahead: the address is never that of the write in between.
    val before =
      if (code.unitBeats <= 64) store.readAsync(position, writeFirst)
      else store.readSync(expanded.beat, enable = expanded.fire)
    val after = product ^ (multiplied.beat.first ? B(0, width bits) | before)
    store.write(position, after, enable = multiplied.fire && multiplied.beat.add)
    after
  })

  io.output << multiplied.map { p =>
    val s = MacSum(code, tagType)
    s.data := p.beat.data
    s.sums := sums
    s.tag := p.beat.tag
    s
  }.m2sPipe(collapsBubble = false, holdPayload = true)
}
