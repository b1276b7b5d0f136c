// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

import arqlink._
import arqlink.gf.Roms

/** A unit by its index and its evaluation point. */
case class CodePoint(code: CodeConfig) extends Bundle {
  val index = UInt(code.nBits bits)
  val x = UInt(8 bits)
}

/** A frame whose lists of points are complete. Counts are given as the last position, so one less.
  *
  * @note the wanted units are the first ones of the missing: data units come before parity units
  */
case class FrameLists(code: CodeConfig) extends Bundle {
  val bank = UInt(1 bits)
  val preset = UInt(2 bits)
  val k = UInt(code.kBits bits)
  val n = UInt(code.nBits bits)
  val lastUnit = UInt(Lanes.unitBits(code) bits)
  val lastMissing = UInt(Lanes.bits(code) bits)
  val lastTarget = UInt(Lanes.bits(code) bits)
}

/** Widths of positions in the lists. */
object Lanes {

  /** Position among missing units, 0 to maxParity - 1; also the number of a multiply-accumulate lane. */
  def bits(code: CodeConfig): Int = log2Up(code.maxParity) max 1

  /** Position among received units, 0 to maxK - 1. */
  def unitBits(code: CodeConfig): Int = log2Up(code.maxK) max 1

  /** The beat of one unit out of words that hold all lanes: word b holds byte b, lane i in bits 8i+7:8i. */
  def select(words: collection.Seq[Bits], lane: UInt): Bits =
    Cat(words.toSeq.map(w => if (w.getWidth == 8) w else w.subdivideIn(8 bits)(lane)))
}

/** Sorts the units of a job into the received and the missing ones and keeps their points, for two frames: one that is
  * being sorted or waits and one that the product engine works on.
  */
class PointLists(code: CodeConfig) extends Component {
  val laneBits = Lanes.bits(code)
  val io = new Bundle {
    val unit = slave(Stream(ScannedUnit(code)))
    val frame = master(Stream(FrameLists(code)))

    /** Asynchronous reads from the lists of the frame at `frame`. */
    val receivedAt = in UInt (Lanes.unitBits(code) bits)
    val received = out(CodePoint(code))
    val targetAt = in UInt (laneBits bits)
    val target = out(CodePoint(code))
    val missingAt = in UInt (laneBits bits)
    val missing = out(CodePoint(code))
  }

  val points = Roms.points(code)
  val free = Bool()
  val unit = io.unit.haltWhen(!free).m2sPipe(collapsBubble = false, holdPayload = true)
  unit.ready := True
  val point = CodePoint(code)
  point.index := unit.index
  point.x := points.readSync(io.unit.preset @@ io.unit.index, io.unit.fire)

  val receivedList = Mem(CodePoint(code), 2 << Lanes.unitBits(code))
  val missingList = Mem(CodePoint(code), 2 << laneBits)
  val bank = Reg(UInt(1 bits)) init 0
  val receivedCount = Reg(UInt(Lanes.unitBits(code) bits)) init 0
  val missingCount = Reg(UInt(laneBits bits)) init 0
  val targetCount = Reg(UInt(laneBits bits)) init 0
  receivedList.write(bank @@ receivedCount, point, unit.fire && unit.received)
  missingList.write(bank @@ missingCount, point, unit.fire && !unit.received)

  when(unit.fire) {
    when(unit.received)(receivedCount := receivedCount + 1) otherwise (missingCount := missingCount + 1)
    when(unit.target)(targetCount := targetCount + 1)
    when(unit.last) {
      bank := bank + 1
      receivedCount := 0
      missingCount := 0
      targetCount := 0
    }
  }

  // The last position: a unit that counts has not been added yet when it is the last one.
  val done = Flow(FrameLists(code))
  done.valid := unit.fire && unit.last
  done.bank := bank
  done.preset := unit.preset
  done.k := unit.k
  done.n := unit.index + 1
  done.lastUnit := (unit.k - 1).resized
  done.lastMissing := missingCount - unit.received.asUInt
  done.lastTarget := targetCount - (!unit.target).asUInt

  // A frame holds its bank from its first unit until the engine is done with it.
  val started = Reg(UInt(2 bits)) init 0
  val inFrame = RegInit(False)
  when(io.unit.fire)(inFrame := !io.unit.last)
  free := inFrame || started =/= 2
  val starts = io.unit.fire && !inFrame
  when(starts =/= io.frame.fire)(started := starts ? (started + 1) | (started - 1))

  io.frame << done.toStream.queue(2)
  val current = io.frame.bank
  io.received := receivedList.readAsync(current @@ io.receivedAt, writeFirst)
  io.target := missingList.readAsync(current @@ io.targetAt, writeFirst)
  io.missing := missingList.readAsync(current @@ io.missingAt, writeFirst)
}
