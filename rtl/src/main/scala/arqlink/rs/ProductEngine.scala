// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

import arqlink._
import arqlink.gf.{GfLogic, Roms}

/** How far ahead of the coefficient writer the product engine may be. */
object Slots {
  val count = 4
  val bits = 2
}

/** Where a value belongs: `slot` holds what concerns one received unit, `frame` what concerns one job. */
case class LaneValue(code: CodeConfig) extends Bundle {
  val place = UInt(Slots.bits bits)
  val lane = UInt(Lanes.bits(code) bits)
  val log = UInt(8 bits)
}

/** A received unit whose logarithms are ready. */
case class ReadyUnit(code: CodeConfig) extends Bundle {
  val slot = UInt(Slots.bits bits)
  val frame = UInt(Slots.bits bits)
  val lastTarget = UInt(Lanes.bits(code) bits)
  val log = UInt(8 bits)
}

/** Computes, in logarithms, the factors of the interpolation coefficients, one logarithm a clock.
  *
  * With E the missing units, F the units 0 to n-1, H(y) the product of (x_y + x_l) over l in E other than y, and
  * S(n, y) the same over F, the coefficient of received unit j for wanted unit m is
  * P(m) Q(j) / (x_m + x_j), Q(j) = H(j) / S(n, j), P(m) = S(n, m) / H(m): Lagrange's formula, with the products over
  * the received units F \ E written as quotients. The Cauchy preset multiplies Q(j) by S(K, j) and divides P(m) by S(K, m),
  * as its code is the Reed-Solomon code with unit y scaled by 1 / S(K, y).
  *
  * First come the wanted units of a frame, then its received units; each takes as many clocks as units are missing.
  */
class ProductEngine(code: CodeConfig) extends Component {
  val laneBits = Lanes.bits(code)
  val io = new Bundle {
    val frame = slave(Stream(FrameLists(code)))
    val receivedAt = out UInt (Lanes.unitBits(code) bits)
    val received = in(CodePoint(code))
    val targetAt = out UInt (laneBits bits)
    val target = in(CodePoint(code))
    val missingAt = out UInt (laneBits bits)
    val missing = in(CodePoint(code))

    /** log (x_j + x_l) of a received unit, in its slot, by lane l. */
    val distance = master(Flow(LaneValue(code)))

    /** log P(m) of a frame. */
    val factor = master(Flow(LaneValue(code)))

    /** log Q(j); the distances of the same unit have been written before. */
    val unit = master(Flow(ReadyUnit(code)))

    /** A slot is free again. */
    val freed = in Bool ()
  }

  /** Where a look-up stands. */
  case class Step() extends Bundle {
    val first, last, wanted, cauchy = Bool()
    val lane, targetLane, lastTarget = UInt(laneBits bits)
    val slot, frame = UInt(Slots.bits bits)
  }

  /** Operands of a look-up. */
  case class Issue() extends Bundle {
    val step = Step()
    val y = CodePoint(code)
    val x = UInt(8 bits)
    val preset = UInt(2 bits)
    val k, n = UInt(code.nBits bits)
  }

  // Counters: the missing unit, and the point within the wanted or the received units.
  val wanted = RegInit(True)
  val position = Reg(UInt(laneBits max Lanes.unitBits(code) bits)) init 0
  val lane = Reg(UInt(laneBits bits)) init 0
  val slot, frame = Reg(UInt(Slots.bits bits)) init 0
  val held = Reg(UInt(Slots.bits + 1 bits)) init 0

  io.receivedAt := position.resized
  io.targetAt := position.resized
  io.missingAt := lane

  val issue = Flow(Issue())
  val lastLane = lane === io.frame.lastMissing
  val lastPoint = wanted ? (position === io.frame.lastTarget.resized) | (position === io.frame.lastUnit.resized)
  issue.valid := io.frame.valid && !held.msb
  issue.step.first := lane === 0
  issue.step.last := lastLane
  issue.step.wanted := wanted
  issue.step.cauchy := io.frame.preset === Preset.Cauchy
  issue.step.lane := lane
  issue.step.targetLane := position.resized
  issue.step.lastTarget := io.frame.lastTarget
  issue.step.slot := slot
  issue.step.frame := frame
  issue.y := wanted ? io.target | io.received
  issue.x := io.missing.x
  issue.preset := io.frame.preset
  issue.k := io.frame.k.resized
  issue.n := io.frame.n

  val endOfUnit = issue.valid && lastLane && !wanted
  io.frame.ready := endOfUnit && lastPoint
  when(issue.valid) {
    lane := lane + 1
    when(lastLane) {
      lane := 0
      position := position + 1
      when(lastPoint) {
        position := 0
        wanted := !wanted
      }
    }
  }
  when(endOfUnit)(slot := slot + 1)
  when(io.frame.fire)(frame := frame + 1)
  when(endOfUnit =/= io.freed)(held := endOfUnit ? (held + 1) | (held - 1))

  // Table look-ups, with a register behind each memory: block RAM answers late in a clock. A stage moves only when
  // something comes: between frames the pipeline rests.
  val operands = issue.m2sPipe(holdPayload = true)
  val read = operands.translateWith(operands.step).m2sPipe(holdPayload = true)
  val looked = read.m2sPipe(holdPayload = true)
  val logs = Roms.log
  val products = Roms.products(code)
  private def look(table: Mem[UInt], at: UInt): UInt = RegNextWhen(table.readSync(at, operands.valid), read.valid)
  val log = look(logs, operands.x ^ operands.y.x)
  val overFrame = look(products, operands.preset @@ operands.n @@ operands.y.index)
  val overData = look(products, operands.preset @@ operands.k @@ operands.y.index)

  // Sum of logarithms: it starts from log S(K, y) - log S(n, y).
  val summand = looked.m2sPipe(holdPayload = true)
  val distance = RegNextWhen(log, looked.valid)
  val start =
    RegNextWhen(GfLogic.addLog(GfLogic.negLog(overFrame), looked.cauchy ? overData | U(0, 8 bits)), looked.valid)
  val sum = Reg(UInt(8 bits))
  when(summand.valid)(sum := GfLogic.addLog(summand.first ? start | sum, distance))
  val done = summand.takeWhen(summand.last).m2sPipe(holdPayload = true)

  io.distance.valid := summand.valid && !summand.wanted
  io.distance.place := summand.slot
  io.distance.lane := summand.lane
  io.distance.log := distance

  io.factor.valid := done.valid && done.wanted
  io.factor.place := done.frame
  io.factor.lane := done.targetLane
  io.factor.log := GfLogic.negLog(sum)

  io.unit.valid := done.valid && !done.wanted
  io.unit.slot := done.slot
  io.unit.frame := done.frame
  io.unit.lastTarget := done.lastTarget
  io.unit.log := sum
}
