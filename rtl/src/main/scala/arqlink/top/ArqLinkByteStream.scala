// SPDX-License-Identifier: Apache-2.0
package arqlink.top

import spinal.core._
import spinal.lib._

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

  val packetPorts = new PacketPorts(dataBytes)
  val lineIn = slave Flow LineByte()
  val lineOut = master Stream Bits(8 bits)
  val hostPorts = new HostPorts(LinkRegisters.addressWidth)
  val event = out(LineEvents())
  AxiNames.line(lineIn, "s_axis_byte")
  AxiNames.line(lineOut, "m_axis_byte")
  event.named("phy")

  val end = new ArqLink(link)
  packetPorts.show(end.packetPorts)
  hostPorts.show(end.hostPorts)

  val phy = BlockReset.late(ByteStreamPhy(link.code))
  phy.io.unitIn << end.unitPorts.output
  lineOut << phy.io.lineOut
  phy.io.lineIn << lineIn
  end.unitPorts.input << phy.io.unitOut.toStream // always ready
  event := phy.io.event
  Invariant(!phy.io.dropped, "the link sends a unit that is not its own")
}
