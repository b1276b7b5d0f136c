// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

import arqlink._

/** Pairs the beats of received units with what is to be done with them, one beat a clock when there is room. */
class DecodeSequencer(code: CodeConfig) extends Component {
  val io = new Bundle {
    val frame = slave(Stream(DecodeFrame(code)))
    val input = slave(Stream(Bits(code.dataBits bits)))
    val coefficients = slave(Stream(CoefficientVector(code)))

    /** A further beat may be taken. */
    val room = in Bool ()

    /** Received data. */
    val data = master(Flow(Bits(code.dataBits bits)))

    /** What the array adds; it gives the sums with the last unit of a frame, with which they are complete. */
    val add = master(Flow(MacBeat(code, 1)))

    /** Coefficients of the unit that began a clock before. */
    val vector = out(Vec(Bits(8 bits), code.maxParity))
  }

  // The unit to come -----------------------------------------------------------------------------------------------------------
  val plan = Reg(DecodeFrame(code))
  val planned = RegInit(False)
  val planFirst = Reg(Bool())

  // The unit whose beats are counted. It has its coefficients, if it needs any -------------------------------------------------
  val live = RegInit(False)
  val repair, isData, first, last = Reg(Bool())
  val beat = new BeatCounter(code)
  val isReady = io.room && live
  val fire = isReady && io.input.valid
  val vacant = !live || (fire && beat.last)
  val taken = vacant && planned && (!plan.repair || io.coefficients.valid)
  when(vacant) {
    live := taken
    repair := plan.repair
    isData := !plan.data.msb
    first := planFirst
    last := plan.units.msb
  }
  when(fire)(beat.step())

  // A unit of two beats or more leaves the plan a clock to move on, one of three another one to take the next frame.
  val single = code.unitBeats == 1
  val move = if (single) taken else RegNext(taken) init False
  io.coefficients.ready := move && plan.repair
  val vector = RegNextWhen(io.coefficients.values, io.coefficients.ready)
  io.vector := (if (single) RegNext(vector) else vector)
  when(move) {
    planFirst := False
    plan.units := plan.units - 1
    plan.data := plan.data - 1
  }
  val frameDone = move && plan.units.msb
  when(frameDone)(planned := False)
  io.frame.ready := !planned || (if (code.unitBeats < 3) frameDone else False)
  when(io.frame.ready) {
    planned := io.frame.valid
    plan := io.frame.payload
    planFirst := True
  }

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
