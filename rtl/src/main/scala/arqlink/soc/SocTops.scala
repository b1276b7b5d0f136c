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

  val packetPorts = new PacketPorts(dataBytes)
  val unitPorts = new UnitPorts(dataBytes)
  val phyUp = in Bool ()
  val uartTx = out Bool ()
  val uartRx = in Bool ()
  phyUp.setName("phy_up")
  uartTx.setName("uart_tx")
  uartRx.setName("uart_rx")

  val control = new ControlSystem(config)
  val link = new ArqLink(config.link)
  val decoder = new AxiLiteDecoder(1)
  decoder.io.input << control.io.link
  link.hostPorts.axil << decoder.io.outputs(0)
  control.io.linkIrq := link.hostPorts.irq.asBits.resized
  control.io.uartRx := uartRx
  uartTx := control.io.uartTx

  packetPorts.show(link.packetPorts)
  link.unitPorts.input << unitPorts.input
  unitPorts.output << link.unitPorts.output
  link.hostPorts.phyUp := phyUp
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

  val a = new PacketPorts(dataBytes, "a_")
  val b = new PacketPorts(dataBytes, "b_")
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
  a.show(pair.a.packetPorts)
  b.show(pair.b.packetPorts)
}
