// SPDX-License-Identifier: Apache-2.0
package arqlink.phy

import spinal.core._
import spinal.lib._

import arqlink.axi.{AxiNames, LineByte, PhyBeat}
import arqlink.config.CodeConfig
import arqlink.wire.UnitFormat

/** Units to a PHY that carries bytes without packet boundaries. One byte a clock; wider beats are cut into bytes. */
case class ByteStreamTransmitter(code: CodeConfig) extends Component {
  val io = new Bundle {
    val unit = slave(Stream(PhyBeat(code.dataBytes)))
    val line = master(Stream(Bits(8 bits)))

    /** A unit is not sent, as it is longer than the longest, or `erased`. */
    val dropped = out(Bool())
  }
  val encoder = CobsEncoder(ByteStreamPhy.maxUnitBytes(code))
  encoder.io.unit << BeatWidth(io.unit, 1)
  io.line << encoder.io.line
  io.dropped := encoder.io.dropped
}

/** Bytes of such a PHY to units, whatever has happened to them. Never stalls. */
case class ByteStreamReceiver(code: CodeConfig) extends Component {
  val io = new Bundle {
    val line = slave(Flow(LineByte()))
    val unit = master(Flow(PhyBeat(code.dataBytes)))

    /** With the last beat of a unit that is `erased`: why. */
    val event = out(LineEvents())
  }
  val decoder = CobsDecoder(code.dataBytes, ByteStreamPhy.maxUnitBytes(code))
  decoder.io.line << io.line
  io.unit << BeatWidth(decoder.io.unit.toStream, code.dataBytes).toFlow
  io.event := decoder.io.event
}

/** Both directions of a PHY that carries bytes: between it and a link end. */
case class ByteStreamPhy(code: CodeConfig) extends Component {
  val io = new Bundle {
    val unitIn = slave(Stream(PhyBeat(code.dataBytes)))
    val lineOut = master(Stream(Bits(8 bits)))
    val lineIn = slave(Flow(LineByte()))
    val unitOut = master(Flow(PhyBeat(code.dataBytes)))
    val dropped = out(Bool())
    val event = out(LineEvents())
  }
  noIoPrefix()
  AxiNames.phy(io.unitIn, "s_axis_phy")
  AxiNames.line(io.lineOut, "m_axis_byte")
  AxiNames.line(io.lineIn, "s_axis_byte")
  AxiNames.phy(io.unitOut, "m_axis_phy")
  io.dropped.setName("phy_dropped")
  io.event.named("phy")

  val transmitter = ByteStreamTransmitter(code)
  transmitter.io.unit << io.unitIn
  io.lineOut << transmitter.io.line
  io.dropped := transmitter.io.dropped

  val receiver = ByteStreamReceiver(code)
  receiver.io.line << io.lineIn
  io.unitOut << receiver.io.unit
  io.event := receiver.io.event
}

object ByteStreamPhy {

  /** The longest unit of a link, in bytes: of data or of control. */
  def maxUnitBytes(code: CodeConfig): Int = (UnitFormat.dataBeats(code) max UnitFormat.controlBeats(code.dataBytes)) * code.dataBytes
}
