// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

import arqlink.config.CodeConfig
import arqlink.gf.TowerLogic
import arqlink.lib.{Invariant, Kept}

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
  * of a unit and lane. A beat in each clock; nothing stalls. The sums with a beat are there four clocks after it.
  *
  * A coefficient is constant over a unit, so it is expanded once into the bit matrices of its three operands ([[gf.TowerField]]): a bit
  * of a sum costs two LUTs for four products of bits, and one that adds them to the sum before.
  *
  * The sums are read a clock ahead and written a clock later: that never is the position that another beat is about to write. From sixteen
  * beats on they are in block RAM, read two clocks ahead and written two clocks later.
  */
class MacArray(code: CodeConfig, parts: Int) extends Component {
  require(code.maxParity % parts == 0, s"$parts parts of ${code.maxParity} lanes are not equal")
  val width = 4 * code.maxParity
  val io = new Bundle {
    val input = slave(Flow(MacBeat(code, parts)))

    /** Tower bytes; those of a unit are to be there a clock after its first beat. */
    val coefficients = in(Vec(Bits(8 bits), code.maxParity))
    val sums = out(MacSums(code))

    /** In the next clock `sums` are to be read. */
    val comes = out Bool ()
  }

  /** Control that the stages behind the first one need; a copy for each byte keeps fan-out small. */
  case class Control() extends Bundle {
    val valid, add = Bool()
    val hide = Bits(parts bits)
    val position = UInt(code.unitBeatBits bits)
  }
  private def copies(of: Control) = for (b <- 0 until code.dataBytes) yield {
    val copy = Kept(Reg(Control()), s"control_${of.getName()}_$b")
    copy.valid.init(False)
    copy.valid := of.valid
    when(of.valid) {
      copy.hide := of.hide
      copy.add := of.add
      copy.position := of.position
    }
    copy
  }

  // Without an enable, as whatever decides that a beat comes is late in its clock.
  val beat = io.input.m2sPipe()
  val entering = Control().setName("entering")
  entering.valid := beat.valid
  entering.hide := beat.hide
  entering.add := beat.add
  entering.position := beat.position

  // The matrices: column i of product p, four bits a lane.
  val columns = Vec(Reg(Bits(width bits)), 12)
  when(beat.valid && beat.load) {
    val low = Cat(io.coefficients.map(_(3 downto 0)))
    val high = Cat(io.coefficients.map(_(7 downto 4)))
    for ((column, value) <- columns.zip(Seq(low, high, low ^ high).flatMap(TowerLogic.columns))) column := value
  }

  val formed = copies(entering)
  val forms =
    for ((byte, b) <- beat.data.subdivideIn(8 bits).zipWithIndex)
      yield {
        // Nothing to add is a zero: the flip-flops' reset makes it without a gate. A copy for every four lanes, and for each byte of what
        // decides, keeps fan-out small.
        val form = TowerLogic.form(byte)
        val enters = Kept(RegNext(io.input.valid) init False, s"enters_$b")
        val adds = Kept(RegNext(io.input.add), s"adds_$b")
        for (group <- 0 until (code.maxParity + 3) / 4) yield {
          val copy = Kept(RegNextWhen(form, enters), s"form_${b}_$group")
          when(!adds)(copy := 0)
          copy
        }
      }

  Invariant.when(beat.valid && beat.load)(beat.position === code.unitBeats - 2, "coefficients change within a unit")
  Invariant.when(beat.valid && formed.head.valid)(beat.position =/= formed.head.position, "a sum is read that the beat before changes")

  // Sums of two products of bits.
  val pairs = for ((form, c) <- forms.zip(formed)) yield for (p <- 0 until 3) yield for (half <- 0 until 2) yield {
    val terms =
      for (i <- Seq(2 * half, 2 * half + 1))
        yield columns(4 * p + i) & Cat((0 until code.maxParity).map(lane => B(4 bits, default -> form(lane / 4)(4 * p + i))))
    RegNextWhen(terms.reduce(_ ^ _), c.valid)
  }

  val summing = for ((c, b) <- formed.zipWithIndex) yield {
    val copy = Kept(Reg(Control()), s"control_summing_$b")
    copy.valid.init(False)
    copy.valid := c.valid && c.add
    when(c.valid) {
      copy.hide := c.hide
      copy.position := c.position
    }
    copy.add := c.add
    copy
  }

  for (b <- 0 until code.dataBytes; p <- 0 until 3) {
    val (c, next) = (summing(b), formed(b))
    val before = Reg(Bits(width bits)).setName(s"before_${b}_$p")
    val hidden = Cat(c.hide.asBools.map(hide => B(width / parts bits, default -> hide)))
    val after = pairs(b)(p)(0) ^ pairs(b)(p)(1) ^ (before & ~hidden)
    val sum = RegNext(after)
    val store = Mem(Bits(width bits), 1 << code.unitBeatBits).setName(s"sums_${b}_$p")
    if (code.unitBeats < 16) { // a block RAM saves a third of the array's LUTs, but has 512 words, of which so few would be used
      store.write(c.position, after, enable = c.valid)
      when(next.valid)(before := store.readAsync(next.position, writeFirst))
    } else {
      store.addAttribute("no_rw_check")
      store.addAttribute("ram_style", "block")
      store.write(RegNext(c.position), sum, enable = RegNext(c.valid))
      before := store.readSync(beat.position)
    }
    io.sums.words(3 * b + p) := sum
  }

  io.comes := Delay(io.input.valid && io.input.give, 3, init = False)
}
