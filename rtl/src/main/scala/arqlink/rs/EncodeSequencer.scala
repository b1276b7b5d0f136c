// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

import arqlink._

/** What becomes of a beat of a frame. */
case class EncodeStep(code: CodeConfig) extends Bundle {
  val data = Bits(code.dataBits bits)
  val position = UInt(code.unitBeatBits bits)

  /** Belongs to the first unit. */
  val first = Bool()

  /** First beat of a unit. */
  val start = Bool()

  /** Last beat of a unit. */
  val last = Bool()

  /** Belongs to a parity unit, that of `lane`. */
  val parity = Bool()
  val lane = UInt(Lanes.bits(code) bits)

  /** The frame has parity units. */
  val repair = Bool()
}

/** A frame as the sequencer counts it. */
case class EncodeFrame(code: CodeConfig) extends Bundle {

  /** Data units less two: negative in the last one. */
  val data = SInt(code.kBits + 1 bits)

  /** Parity units less one: negative if there are none. */
  val parity = SInt(log2Up(code.maxParity + 1) + 1 bits)

  /** Address of its first coefficients is the sum of these. */
  val offset, row = UInt(log2Up(EncodeCoefficients.words(code)) bits)
}

/** Orders the beats of a frame: K units from the input, then N - K parity units; one step a clock when there is room.
  *
  * A plan tells units apart, and is one unit ahead of the one whose beats are counted, so that nothing long hangs on the input's valid.
  */
class EncodeSequencer(code: CodeConfig) extends Component {
  val addressBits = log2Up(EncodeCoefficients.words(code))
  val io = new Bundle {
    val frame = slave(Stream(EncodeFrame(code)))
    val input = slave(Stream(Bits(code.dataBits bits)))

    /** A further step may be taken. */
    val room = in Bool ()
    val step = master(Flow(EncodeStep(code)))

    /** Address of the coefficients of the step's unit. */
    val address = out UInt (addressBits bits)
  }

  // The unit to come -----------------------------------------------------------------------------------------------------------
  val plan = Reg(EncodeFrame(code))
  val lane = Reg(UInt(Lanes.bits(code) bits))
  val planned, planParity = RegInit(False)
  val planFirst, planLast = Reg(Bool())

  // The unit whose beats are counted ---------------------------------------------------------------------------------------------
  val dataUnit, parityUnit = RegInit(False)
  val first, parity, repair = Reg(Bool())
  val unitLane = Reg(UInt(Lanes.bits(code) bits))
  val address = Reg(UInt(addressBits bits))
  val beat = new BeatCounter(code)

  val fire = io.room && (parityUnit || (dataUnit && io.input.valid))
  val unitDone = fire && beat.last
  val vacant = !(dataUnit || parityUnit) || unitDone
  when(vacant) {
    dataUnit := planned && !planParity
    parityUnit := planned && planParity
    first := planFirst
    parity := planParity
    unitLane := lane
    repair := !plan.parity.msb || planParity
    address := planFirst ? (plan.offset + plan.row) | (address + 1)
  }
  when(fire)(beat.step())

  // A unit of two beats or more leaves the plan a clock to move on, one of three another one to take the next frame.
  val taken = planned && vacant
  val move = if (code.unitBeats == 1) taken else RegNext(taken) init False
  val isEnd = planLast || (planFirst && plan.data.msb && plan.parity.msb)
  val frameDone = move && (if (code.unitBeats == 1) isEnd else RegNext(isEnd))
  when(move) {
    planFirst := False
    when(planParity) {
      lane := lane + 1
      plan.parity := plan.parity - 1
      planLast := plan.parity === 1
    } otherwise {
      plan.data := plan.data - 1
      planParity := plan.data.msb
      planLast := plan.data.msb ? (plan.parity === 0) | (plan.data === 0 && plan.parity.msb)
    }
  }
  when(frameDone)(planned := False)
  io.frame.ready := !planned || (if (code.unitBeats < 3) frameDone else False)
  when(io.frame.ready) {
    planned := io.frame.valid
    plan := io.frame.payload
    planParity := False
    planFirst := True
    planLast := False
    lane := 0
  }

  io.input.ready := dataUnit && io.room
  io.step.valid := fire
  io.step.first := first
  io.step.parity := parity
  io.step.lane := unitLane
  io.step.repair := repair
  io.step.data := io.input.payload
  io.step.position := beat.address
  io.step.start := beat.first
  io.step.last := beat.last
  io.address := address
}
