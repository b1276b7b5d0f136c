// SPDX-License-Identifier: Apache-2.0
package arqlink.top

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite.AxiLite4

import arqlink.axi._
import arqlink.config.LinkConfig
import arqlink.csr.LinkRegisters
import arqlink.lib.{BlockReset, Invariant}
import arqlink.phy.{ByteStreamPhy, LineEvents}

/** [[ArqLink]] for a PHY that carries bytes without packet boundaries (docs/phy_framer.md): bytes to the line at `m_axis_byte`, from it at `s_axis_byte`.
  *
  * Units that the line has damaged so that they show it are flagged, and counted in `rx_erased_flag`; `phy_cut`, `phy_too_long` and `phy_bad_byte` say why.
  */
class ArqLinkByteStream(link: LinkConfig) extends Component {
  private val dataBytes = link.code.dataBytes

  val io = new Bundle {
    val packetIn = slave Stream PacketBeat(dataBytes)
    val packetOut = master Stream PacketBeat(dataBytes)
    val lineIn = slave Flow LineByte()
    val lineOut = master Stream Bits(8 bits)
    val axil = slave(AxiLite4(LinkRegisters.addressWidth, 32))
    val phyUp = in Bool ()
    val irq = out Bool ()
    val event = out(LineEvents())
  }
  noIoPrefix()
  AxiNames.packet(io.packetIn, "s_axis")
  AxiNames.packet(io.packetOut, "m_axis")
  AxiNames.line(io.lineIn, "s_axis_byte")
  AxiNames.line(io.lineOut, "m_axis_byte")
  AxiLiteNames(io.axil, "s_axil")
  io.phyUp.setName("phy_up")
  io.irq.setName("irq")
  io.event.named("phy")

  val end = new ArqLink(link)
  end.io.packetIn << io.packetIn
  io.packetOut << end.io.packetOut
  end.io.axil << io.axil
  end.io.phyUp := io.phyUp
  io.irq := end.io.irq

  val phy = BlockReset.late(ByteStreamPhy(link.code))
  phy.io.unitIn << end.io.phyOut
  io.lineOut << phy.io.lineOut
  phy.io.lineIn << io.lineIn
  end.io.phyIn << phy.io.unitOut.toStream // always ready
  io.event := phy.io.event
  Invariant(!phy.io.dropped, "the link sends a unit that is not its own")
}
