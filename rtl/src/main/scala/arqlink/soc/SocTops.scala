// SPDX-License-Identifier: Apache-2.0
package arqlink.soc

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite.{AxiLite4, AxiLite4SpecRenamer}

import arqlink.axi._
import arqlink.top.{ArqLink, ArqPair}

/** One link end and the system that controls it; packet and PHY streams go to the outside. */
class ArqSoc(config: SocConfig) extends Component {
  private val dataBytes = config.link.code.dataBytes

  val packetIn = slave Stream PacketBeat(dataBytes)
  val packetOut = master Stream PacketBeat(dataBytes)
  val phyIn = slave Stream PhyBeat(dataBytes)
  val phyOut = master Stream PhyBeat(dataBytes)
  val phyUp = in Bool ()
  val uartTx = out Bool ()
  val uartRx = in Bool ()
  AxiNames.packet(packetIn, "s_axis")
  AxiNames.packet(packetOut, "m_axis")
  AxiNames.phy(phyIn, "s_axis_phy")
  AxiNames.phy(phyOut, "m_axis_phy")
  phyUp.setName("phy_up")
  uartTx.setName("uart_tx")
  uartRx.setName("uart_rx")

  val control = new ControlSystem(config)
  val link = new ArqLink(config.link)
  val decoder = new AxiLiteDecoder(1)
  decoder.io.input << control.io.link
  link.io.axil << decoder.io.outputs(0)
  control.io.linkIrq := link.io.irq.asBits.resized
  control.io.uartRx := uartRx
  uartTx := control.io.uartTx

  link.io.packetIn << packetIn
  packetOut << link.io.packetOut
  link.io.phyIn << phyIn
  phyOut << link.io.phyOut
  link.io.phyUp := phyUp
}

/** The system alone: its AXI4-Lite window goes to a link end elsewhere, whose `irq` is `link_irq`. */
class ArqControl(config: SocConfig) extends Component {
  val axil = master(AxiLite4(16, 32))
  val linkIrq = in Bool ()
  val uartTx = out Bool ()
  val uartRx = in Bool ()
  AxiLite4SpecRenamer(axil.setName("m_axil"))
  linkIrq.setName("link_irq")
  uartTx.setName("uart_tx")
  uartRx.setName("uart_rx")

  val control = new ControlSystem(config)
  axil << control.io.link
  control.io.linkIrq := linkIrq.asBits.resized
  control.io.uartRx := uartRx
  uartTx := control.io.uartTx
}

/** A pair of link ends with emulated channels and the system that controls all of it; packet ports go to the outside. */
class ArqPairSoc(config: SocConfig) extends Component {
  private val dataBytes = config.link.code.dataBytes

  class EndPort(name: String) extends Area {
    val packetIn = slave Stream PacketBeat(dataBytes)
    val packetOut = master Stream PacketBeat(dataBytes)
    AxiNames.packet(packetIn, s"${name}_s_axis")
    AxiNames.packet(packetOut, s"${name}_m_axis")
  }
  val a = new EndPort("a")
  val b = new EndPort("b")
  val uartTx = out Bool ()
  val uartRx = in Bool ()
  uartTx.setName("uart_tx")
  uartRx.setName("uart_rx")

  val control = new ControlSystem(config)
  val pair = new ArqPair(config.link, config.maxDelay)
  pair.erase.ab := False
  pair.erase.ba := False
  pair.axil << control.io.link
  control.io.linkIrq := pair.b.irq ## pair.a.irq
  control.io.uartRx := uartRx
  uartTx := control.io.uartTx
  for ((port, end) <- Seq(a -> pair.a, b -> pair.b)) {
    end.packetIn << port.packetIn
    port.packetOut << end.packetOut
  }
}
