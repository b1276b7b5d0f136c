// SPDX-License-Identifier: Apache-2.0
package arqlink.channel

import spinal.core._

import arqlink._
import arqlink.csr.AxiLiteNames

/** Blocks of this package that `Generate` can write on their own, for tests and for synthesis: `ChannelEmulator` and
  * `TrafficPort` at the width of the configuration, and `ChannelEmulator16` etc. at a width of 2, 8 or 16 bytes.
  */
object ChannelBlocks {
  private def emulator(dataBytes: Int): ChannelEmulator = {
    val channel = new ChannelEmulator(ChannelConfig(dataBytes, 1024))
    AxiLiteNames(channel.io.axil, "s_axil")
    AxiNames.phy(channel.io.input, "s_axis_phy")
    AxiNames.phy(channel.io.output, "m_axis_phy")
    channel
  }

  private def traffic(dataBytes: Int): TrafficPort = {
    val port = new TrafficPort(dataBytes)
    AxiLiteNames(port.io.axil, "s_axil")
    AxiNames.packet(port.io.userTx, "s_axis")
    AxiNames.packet(port.io.userRx, "m_axis")
    AxiNames.packet(port.io.tx, "m_axis_link")
    AxiNames.packet(port.io.rx, "s_axis_link")
    port
  }

  private def blocks(suffix: String, dataBytes: LinkConfig => Int): Map[String, LinkConfig => Component] = Map(
    s"ChannelEmulator$suffix" -> (link => emulator(dataBytes(link)).setDefinitionName(s"ChannelEmulator$suffix")),
    s"TrafficPort$suffix" -> (link => traffic(dataBytes(link)).setDefinitionName(s"TrafficPort$suffix"))
  )

  val all: Map[String, LinkConfig => Component] =
    blocks("", _.code.dataBytes) ++ Seq(2, 8, 16).flatMap(width => blocks(width.toString, _ => width))
}
