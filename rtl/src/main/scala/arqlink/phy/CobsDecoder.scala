// SPDX-License-Identifier: Apache-2.0
package arqlink.phy

import spinal.core._
import spinal.lib._

import arqlink.axi.{LineByte, PhyBeat}
import arqlink.lib.Invariant

/** Why a unit is bad: one of these in the clock of its last beat. */
case class LineEvents() extends Bundle {

  /** It has a byte more than the longest unit. All that follows up to the next delimiter is dropped. */
  val tooLong = Bool()

  /** The line has marked a byte of it, or its delimiter. */
  val badByte = Bool()

  /** It ends within a piece or a beat, or has no byte. */
  val cut = Bool()

  /** Names of ports. */
  def named(prefix: String): this.type = {
    tooLong.setName(s"${prefix}_too_long")
    badByte.setName(s"${prefix}_bad_byte")
    cut.setName(s"${prefix}_cut")
    this
  }
}

/** The bytes of a line to units, one byte a clock without ever stalling.
  *
  * All that comes between two delimiters becomes one unit, bad (`erased` in its last beat) or not, and nothing becomes none. What comes after reset ahead of
  * the first delimiter is dropped.
  *
  * @param beatBytes    units are a multiple of so many bytes long: a power of two
  * @param maxUnitBytes longest unit, in bytes
  */
case class CobsDecoder(beatBytes: Int, maxUnitBytes: Int) extends Component {
  require(isPow2(beatBytes), s"beatBytes is $beatBytes; it must be a power of two")
  require(
    maxUnitBytes >= beatBytes && maxUnitBytes % beatBytes == 0,
    s"maxUnitBytes is $maxUnitBytes; it must be a multiple of beatBytes ($beatBytes), and not 0"
  )

  val io = new Bundle {
    val line = slave(Flow(LineByte()))
    val unit = master(Flow(PhyBeat(1)))
    val event = out(LineEvents())
  }

  private val input = io.line.m2sPipe()
  private val isDelimiter = RegNext(io.line.data === Cobs.delimiter)

  /** Until the next delimiter. */
  val skipping = RegInit(True)

  val piece = new Area {

    /** Bytes of it that have not come; 0: the next byte is a code. */
    val left = Reg(UInt(8 bits)) init 0

    /** There is one in this unit, and behind it a zero, if the unit goes on. */
    val hasZero = RegInit(False)
  }
  private val isCode = piece.left === 0
  private val takes = input.valid && !isDelimiter && !skipping

  /** A byte of the unit. */
  val decoded = Flow(Bits(8 bits))
  decoded.valid := takes && (!isCode || piece.hasZero)
  decoded.payload := isCode ? B(0, 8 bits) | input.data

  /** The unit so far, and its last byte, which is held back until it is known to be the last one or not. */
  val unit = new Area {
    val begun, marked = RegInit(False)
    val held = Reg(Bits(8 bits))
    val length = Reg(UInt(log2Up(maxUnitBytes + 1) bits)) init 0

    val isEmpty = length === 0
    val isPartial = if (beatBytes == 1) False else length.resize(log2Up(beatBytes)) =/= 0
    val overflows = decoded.valid && length === maxUnitBytes
    val ends = input.valid && isDelimiter && begun
    Invariant(Invariant.atMost(length, maxUnitBytes), "a unit is longer than the longest")
    Invariant.when(skipping)(!begun, "a unit is collected, and all is dropped")
  }
  import unit._

  when(takes) {
    begun := True
    marked setWhen input.erased
    piece.left := piece.left - 1
    when(isCode) {
      piece.left := input.data.asUInt - 1
      piece.hasZero := input.data =/= Cobs.fullCode
    }
  }
  when(decoded.valid) {
    held := decoded.payload
    length := length + 1
  }
  when(overflows || (input.valid && isDelimiter)) {
    skipping := overflows
    begun := False
    marked := False
    length := 0
    piece.left := 0
    piece.hasZero := False
  }

  private val isMarked = marked || input.erased
  private val isCut = !isCode || isEmpty || isPartial
  private val event = LineEvents()
  event.tooLong := overflows
  event.badByte := ends && isMarked
  event.cut := ends && !isMarked && isCut
  io.event := RegNext(event) init LineEvents().getZero

  private val beat = Flow(PhyBeat(1))
  beat.valid := ends || (decoded.valid && !isEmpty)
  beat.data := held
  beat.last := ends || overflows
  beat.erased := event.asBits.orR
  io.unit << beat.stage()
}
