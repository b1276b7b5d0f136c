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

  val frame = Reg(DecodeFrame(code))
  val active = RegInit(False)
  val first, last = Reg(Bool())
  val beat = new BeatCounter(code)

  val isReady = active && io.room && (!frame.repair || !beat.first || io.coefficients.valid)
  val fire = isReady && io.input.valid
  io.input.ready := isReady
  val load = fire && frame.repair && beat.first
  io.coefficients.ready := load
  io.vector := RegNext(io.coefficients.values)

  io.data.valid := fire && !frame.data.msb
  io.data.payload := io.input.payload
  io.add.valid := fire && frame.repair
  io.add.data := io.input.payload
  io.add.position := beat.address
  io.add.hide := first.asBits
  io.add.load := beat.first
  io.add.add := True
  io.add.give := last

  val unitDone = fire && beat.last
  when(fire)(beat.step())
  when(unitDone) {
    first := False
    last := frame.units === 0
    frame.units := frame.units - 1
    frame.data := frame.data - 1
  }
  io.frame.ready := !active || (unitDone && last)
  when(io.frame.ready) {
    active := io.frame.valid
    frame := io.frame.payload
    first := True
    last := io.frame.units.msb
  }
}
