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

/** A frame as the sequencer counts it: units to go less two, negative in the last one. */
case class EncodeFrame(code: CodeConfig) extends Bundle {
  val data = SInt(code.kBits + 1 bits)
  val parity = SInt(log2Up(code.maxParity + 1) + 1 bits)

  /** There are parity units. */
  val repair = Bool()

  /** Address of its first coefficients. */
  val start = UInt(log2Up(EncodeCoefficients.words(code)) bits)
}

/** Orders the beats of a frame: K units from the input, then N - K parity units; one step a clock when there is room. */
class EncodeSequencer(code: CodeConfig) extends Component {
  val io = new Bundle {
    val frame = slave(Stream(EncodeFrame(code)))
    val input = slave(Stream(Bits(code.dataBits bits)))

    /** A further step may be taken. */
    val room = in Bool ()
    val step = master(Flow(EncodeStep(code)))
  }

  val frame = Reg(EncodeFrame(code))
  val lane = Reg(UInt(Lanes.bits(code) bits))
  val beat = new BeatCounter(code)
  val active, inParity = RegInit(False)
  val first, last = Reg(Bool())

  val unitDone = io.step.valid && beat.last
  val frameDone = unitDone && last

  io.input.ready := active && !inParity && io.room
  io.step.valid := active && (inParity || io.input.valid) && io.room
  io.step.data := io.input.payload
  io.step.position := beat.address
  io.step.first := first
  io.step.start := beat.first
  io.step.last := beat.last
  io.step.parity := inParity
  io.step.lane := lane
  io.step.repair := frame.repair

  when(io.step.valid)(beat.step())
  when(unitDone) {
    first := False
    when(inParity) {
      lane := lane + 1
      frame.parity := frame.parity - 1
      last := frame.parity === 0
    } otherwise {
      frame.data := frame.data - 1
      inParity := frame.data.msb
      last := frame.data.msb ? frame.parity.msb | (frame.data === 0 && !frame.repair)
    }
  }
  io.frame.ready := !active || frameDone
  when(io.frame.ready) {
    active := io.frame.valid
    frame := io.frame.payload
    inParity := False
    first := True
    last := io.frame.data.msb && !io.frame.repair
    lane := 0
  }
}
