// SPDX-License-Identifier: Apache-2.0
package arqlink.link

import spinal.core._
import spinal.lib._

import arqlink._

/** Turns the PHY's units into verified data units and control messages, in the order they came.
  *
  * Always ready. A unit is passed on only when all of it has come and its flag, length, CRC and header are good; every
  * other unit raises exactly one event.
  */
case class Deframer(code: CodeConfig) extends Component {
  val io = new Bundle {
    val phy = slave(Stream(PhyBeat(code.dataBytes)))
    val unit = master(Stream(Fragment(UnitBeat(code))))
    val control = master(Stream(ControlMessage()))
    val erasedFlag, erasedLength, erasedCrc, badHeader, overflow = out(Bool())
  }
  noIoPrefix()
  AxiNames.phy(io.phy, "s_axis_phy")

  val checker = UnitChecker(code)
  val buffer = UnitBuffer(code)

  checker.io.phy << io.phy.toFlow
  io.erasedFlag := checker.io.erasedFlag
  io.erasedLength := checker.io.erasedLength
  io.erasedCrc := checker.io.erasedCrc
  io.badHeader := checker.io.badHeader
  io.overflow := buffer.io.overflow

  buffer.io.payload << checker.io.payload
  buffer.io.header << checker.io.header
  buffer.io.accept := checker.io.accept

  // One stream behind both ports keeps their order.
  val beat = buffer.io.output
  io.unit.valid := beat.valid && !beat.header.control
  io.control.valid := beat.valid && beat.header.control
  beat.ready := beat.header.control ? io.control.ready | io.unit.ready

  io.unit.header := UnitFormat.unpackData(code, beat.header.bytes.resize(Wire.headerBytes * 8))
  io.unit.data := beat.data
  io.unit.last := beat.last
  io.control.payload := UnitFormat.unpackControl(beat.header.bytes)
}
