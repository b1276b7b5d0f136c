// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

import arqlink.config.CodeConfig
import arqlink.lib.{BeatCounter, Invariant}

/** Pairs the beats of received units with what is to be done with them, one beat a clock when there is room. */
class DecodeSequencer(code: CodeConfig) extends Component {
  val io = new Bundle {
    val frame = slave(Stream(DecodeFrame(code)))
    val input = slave(Stream(Bits(code.dataBits bits)))
    val coefficients = slave(Stream(CoefficientVector(code)))

    /** A further beat may be accepted. */
    val room = in Bool ()

    /** Received data. */
    val data = master(Flow(Bits(code.dataBits bits)))

    /** What the array adds; it gives the sums with the last unit of a frame, with which they are complete. */
    val add = master(Flow(MacBeat(code, 1)))

    /** Coefficients of the unit that began a clock before. */
    val vector = out(Vec(Bits(8 bits), code.maxParity))
  }

  // The unit to come -----------------------------------------------------------------------------------------------------------
  val plan = new UnitPlan(code, io.frame)
  import plan.frame

  // The unit whose beats are counted. It has its coefficients, if it needs any -------------------------------------------------
  val live = RegInit(False)
  val repair, isData, first, last = Reg(Bool())
  val beat = new BeatCounter(code.unitBeats)
  val isReady = io.room && live
  val fire = isReady && io.input.valid
  val vacant = !live || (fire && beat.last)
  plan.taken := vacant && plan.valid && (!frame.repair || io.coefficients.valid)
  when(vacant) {
    live := plan.taken
    repair := frame.repair
    isData := !frame.data.msb
    first := plan.isFirst
    last := frame.units.msb
  }
  when(fire)(beat.step())
  Invariant.when(plan.taken && !live)(beat.first, "a unit begins, and beats of the one before are missing")

  io.coefficients.ready := plan.moves && frame.repair
  Invariant.when(plan.moves && frame.repair)(io.coefficients.valid, "a unit is taken whose coefficients are not there")
  val vector = RegNextWhen(io.coefficients.values, plan.moves) // of a frame without repair anything
  io.vector := vector
  plan.isEnd := frame.units.msb
  plan.follow {
    frame.units := frame.units - 1
    frame.data := frame.data - 1
  }()

  io.input.ready := isReady
  io.data.valid := fire && isData
  io.data.payload := io.input.payload
  io.add.valid := fire && repair
  io.add.data := io.input.payload
  io.add.position := beat.address
  io.add.hide := first.asBits
  io.add.load := beat.first
  io.add.add := True
  io.add.give := last
}
