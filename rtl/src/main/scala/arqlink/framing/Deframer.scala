// SPDX-License-Identifier: Apache-2.0
package arqlink.framing

import spinal.core._
import spinal.lib._

import arqlink.axi.{AxiNames, PhyBeat}
import arqlink.config.CodeConfig
import arqlink.wire._

/** Turns the PHY's units into events: verified headers of data units and control messages, in the order they came. The payload of data units is a
  * stream beside them.
  *
  * Always ready. A unit is passed on only when all of it has come and its flag, length, CRC and header are good; every
  * other unit raises exactly one event.
  */
case class Deframer(code: CodeConfig) extends Component {
  val io = new Bundle {
    val phy = slave(Stream(PhyBeat(code.dataBytes)))

    /** Number of this link: units of another one are not passed on. */
    val link = in(UInt(Wire.linkBits bits))
    val unit = master(Stream(UnitHeader(code)))
    val control = master(Stream(ControlMessage()))
    val payload = master(Stream(Fragment(Bits(code.dataBits bits))))

    /** A pulse for each unit that is not passed on. */
    val erasedFlag, otherLink, erasedLength, erasedCrc, badHeader, overflow = out(Bool())

    /** With `badHeader`: the unit is of another version of the format. */
    val otherVersion = out(Bool())
  }
  noIoPrefix()
  AxiNames.phy(io.phy, "s_axis_phy")

  val arrival = UnitChecker(code)
  val slots = UnitBuffer(code)

  arrival.io.phy << io.phy.toFlow
  arrival.io.link := io.link
  io.erasedFlag := arrival.io.erasedFlag
  io.otherLink := arrival.io.otherLink
  io.erasedLength := arrival.io.erasedLength
  io.erasedCrc := arrival.io.erasedCrc
  io.badHeader := arrival.io.badHeader
  io.otherVersion := arrival.io.otherVersion
  io.overflow := slots.io.overflow

  slots.io.payload << arrival.io.payload
  slots.io.header << arrival.io.header
  slots.io.accept := arrival.io.accept

  // One stream behind both ports keeps their order.
  val event = slots.io.unit
  io.unit.valid := event.valid && !event.control
  io.control.valid := event.valid && event.control
  event.ready := event.control ? io.control.ready | io.unit.ready

  io.unit.payload := UnitFormat.unpackData(code, event.bytes.resize(Wire.headerBytes * 8))
  io.control.payload := UnitFormat.unpackControl(event.bytes)
  io.payload << slots.io.data
}
