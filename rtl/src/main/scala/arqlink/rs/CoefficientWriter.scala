// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

import arqlink._
import arqlink.gf.{GfLogic, Roms}

/** Puts the factors together, one coefficient a clock, and queues one vector of coefficients per received unit:
  * lane i is for the i-th wanted unit, lanes beyond are 0.
  */
class CoefficientWriter(code: CodeConfig) extends Component {
  val laneBits = Lanes.bits(code)
  val io = new Bundle {
    val distance = slave(Flow(LaneValue(code)))
    val target = slave(Flow(LaneValue(code)))
    val unit = slave(Flow(ReadyUnit(code)))
    val freed = out Bool ()
    val coefficients = master(Stream(Vec(Bits(8 bits), code.maxParity)))
  }

  case class Step() extends Bundle {
    val first, last = Bool()
    val lane = UInt(laneBits bits)
  }

  val distances, targets = Mem(UInt(8 bits), Slots.count << laneBits)
  distances.write(io.distance.place @@ io.distance.lane, io.distance.log, io.distance.valid)
  targets.write(io.target.place @@ io.target.lane, io.target.log, io.target.valid)

  // The engine holds at most Slots.count units, so the queue cannot overflow.
  val units = StreamFifo(ReadyUnit(code), Slots.count, latency = 1)
  units.io.push << io.unit.toStream

  // Vectors on their way are covered by a margin instead of stalling the pipeline.
  val vectors = StreamFifo(Vec(Bits(8 bits), code.maxParity), 32)
  val room = RegNext(vectors.io.availability >= 8) init False

  val unit = units.io.pop
  val lane = Reg(UInt(laneBits bits)) init 0
  val step = Flow(Step())
  step.valid := unit.valid && room
  step.first := lane === 0
  step.last := lane === unit.lastTarget
  step.lane := lane
  unit.ready := step.valid && step.last
  io.freed := unit.fire
  when(step.valid)(lane := step.last ? U(0) | lane + 1)

  // log P(m) - log (x_m + x_j), then + log Q(j), then the power of alpha.
  val scaled = step.m2sPipe(holdPayload = true)
  val difference = RegNextWhen(
    GfLogic.addLog(
      targets.readAsync(unit.frame @@ lane, writeFirst),
      GfLogic.negLog(distances.readAsync(unit.slot @@ lane, writeFirst))
    ),
    step.valid
  )
  val q = RegNextWhen(unit.log, step.valid)
  val summed = scaled.m2sPipe(holdPayload = true)
  val sum = RegNextWhen(GfLogic.addLog(difference, q), scaled.valid)
  val powers = Roms.exp
  val read = summed.m2sPipe(holdPayload = true)
  val coefficient = powers.readSync(sum, summed.valid).asBits

  val vector = Vec(Reg(Bits(8 bits)), code.maxParity)
  when(read.valid) {
    for (i <- 0 until code.maxParity)
      when(read.lane === i)(vector(i) := coefficient) elsewhen (read.first) (vector(i) := 0)
  }
  vectors.io.push.valid := RegNext(read.valid && read.last, init = False)
  vectors.io.push.payload := vector
  io.coefficients << vectors.io.pop
}
