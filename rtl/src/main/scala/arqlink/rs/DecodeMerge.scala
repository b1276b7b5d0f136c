// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

import arqlink._

/** Puts received and recovered data units in order. */
class DecodeMerge(code: CodeConfig) extends Component {
  val io = new Bundle {
    val frame = slave(Stream(MergeFrame(code)))
    val received = slave(Stream(Bits(code.dataBits bits)))
    val recovered = slave(Stream(Bits(code.dataBits bits)))
    val output = master(Stream(Fragment(Bits(code.dataBits bits))))

    /** The last beat of a frame was given. */
    val done = out Bool ()
  }

  val frame = Reg(MergeFrame(code))
  val active = RegInit(False)
  val last = Reg(Bool())
  val beat = new BeatCounter(code)
  val missing = frame.missing.lsb

  val merged = Stream(Fragment(Bits(code.dataBits bits)))
  merged.valid := active && (missing ? io.recovered.valid | io.received.valid)
  merged.fragment := missing ? io.recovered.payload | io.received.payload
  merged.last := beat.last
  val take = active && merged.ready
  io.recovered.ready := take && missing
  io.received.ready := take && !missing
  io.output << merged.m2sPipe()

  val unitDone = merged.fire && beat.last
  when(merged.fire)(beat.step())
  when(unitDone) {
    last := frame.units === 0
    frame.units := frame.units - 1
    frame.missing := frame.missing |>> 1
  }
  val frameDone = unitDone && last
  io.frame.ready := !active || frameDone
  when(io.frame.ready) {
    active := io.frame.valid
    frame := io.frame.payload
    last := io.frame.units.msb
  }
  io.done := RegNext(frameDone) init False
}
