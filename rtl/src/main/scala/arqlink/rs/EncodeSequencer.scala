// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

import arqlink.config.CodeConfig
import arqlink.lib.{BeatCounter, Invariant}

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
  */
class EncodeSequencer(code: CodeConfig) extends Component {
  val io = new Bundle {
    val frame = slave(Stream(EncodeFrame(code)))
    val input = slave(Stream(Bits(code.dataBits bits)))

    /** A further step may be made. */
    val room = in Bool ()
    val step = master(Flow(EncodeStep(code)))

    /** Address of the coefficients of the unit that had a step a clock ago. */
    val address = out UInt (log2Up(EncodeCoefficients.words(code)) bits)
  }

  // The unit to come -----------------------------------------------------------------------------------------------------------
  val plan = new UnitPlan(code, io.frame)
  import plan.frame
  val lane = Reg(UInt(Lanes.bits(code) bits))
  val planParity = RegInit(False)
  val planLast = Reg(Bool())

  // The unit whose beats are counted ---------------------------------------------------------------------------------------------
  val dataUnit, parityUnit = RegInit(False)
  val first, parity, repair = Reg(Bool())
  val unitLane = Reg(UInt(Lanes.bits(code) bits))
  val beat = new BeatCounter(code.unitBeats)

  val fire = io.room && (parityUnit || (dataUnit && io.input.valid))
  val unitDone = fire && beat.last
  val vacant = !(dataUnit || parityUnit) || unitDone
  when(vacant) {
    dataUnit := plan.valid && !planParity
    parityUnit := plan.valid && planParity
    first := plan.isFirst
    parity := planParity
    unitLane := lane
    repair := !frame.parity.msb || planParity
  }
  when(fire)(beat.step())
  Invariant(!(dataUnit && parityUnit), "a unit is data and parity")

  plan.taken := vacant && plan.valid
  Invariant.when(plan.taken && !dataUnit && !parityUnit)(beat.first, "a unit begins, and beats of the one before are missing")
  private val isEnd = planLast || (plan.isFirst && frame.data.msb && frame.parity.msb)
  plan.isEnd := RegNext(isEnd)
  plan.follow {
    when(planParity) {
      lane := lane + 1
      frame.parity := frame.parity - 1
      planLast := frame.parity === 1
    } otherwise {
      frame.data := frame.data - 1
      planParity := frame.data.msb
      planLast := frame.data.msb ? (frame.parity === 0) | (frame.data === 0 && frame.parity.msb)
    }
  } {
    planParity := False
    planLast := False
    lane := 0
  }

  val address = Reg(io.address)
  private val start = RegNext(frame.offset + frame.row)
  when(plan.moves)(address := plan.isFirst ? start | (address + 1))
  io.address := address

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
}
