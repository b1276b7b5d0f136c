// SPDX-License-Identifier: Apache-2.0
package arqlink.channel

import spinal.core._

import arqlink._
import arqlink.csr.AxiLiteNames

/** Blocks of this package that `Generate` can write on their own, for tests and for synthesis. */
object ChannelBlocks {
  val all: Map[String, LinkConfig => Component] = Map(
    "ChannelEmulator" -> { link =>
      val channel = new ChannelEmulator(ChannelConfig(link.code.dataBytes, 1024))
      AxiLiteNames(channel.io.axil, "s_axil")
      AxiNames.phy(channel.io.input, "s_axis_phy")
      AxiNames.phy(channel.io.output, "m_axis_phy")
      channel
    },
    "TrafficPort" -> { link =>
      val traffic = new TrafficPort(link.code.dataBytes)
      AxiLiteNames(traffic.io.axil, "s_axil")
      AxiNames.packet(traffic.io.userTx, "s_axis")
      AxiNames.packet(traffic.io.userRx, "m_axis")
      AxiNames.packet(traffic.io.tx, "m_axis_link")
      AxiNames.packet(traffic.io.rx, "s_axis_link")
      traffic
    }
  )
}
