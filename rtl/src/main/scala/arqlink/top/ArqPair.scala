// SPDX-License-Identifier: Apache-2.0
package arqlink.top

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite.AxiLite4

import arqlink.axi._
import arqlink.channel.{ChannelConfig, ChannelEmulator}
import arqlink.config.LinkConfig
import arqlink.traffic.TrafficPort

/** Link ends A and B, an emulated channel each way, a packet generator and checker at each end, one AXI4-Lite slave.
  *
  * Simulation and a board's self-test run this. `*_phy` shows units before the channel, `*_tap` after it; `*_erase` erases the
  * unit whose first beat `*_phy` shows in this clock.
  *
  * @param maxDelay depth of the channels' delay lines in clocks: a power of two
  */
class ArqPair(link: LinkConfig, maxDelay: Int = 1 << 20) extends Component {
  private val dataBytes = link.code.dataBytes

  class EndPort(name: String) extends Area {
    val packetPorts = new PacketPorts(dataBytes, s"${name}_")
    val phy = master Flow PhyBeat(dataBytes)
    val tap = master Flow PhyBeat(dataBytes)
    val irq = out Bool ()
    irq.setName(s"${name}_irq")
  }

  val axil = slave(AxiLite4(16, 32))
  AxiLiteNames(axil, "s_axil")
  val a = new EndPort("a")
  val b = new EndPort("b")
  AxiNames.phy(a.phy, "a_phy")
  AxiNames.phy(b.phy, "b_phy")
  AxiNames.phy(b.tap, "ab_tap")
  AxiNames.phy(a.tap, "ba_tap")
  val erase = new Area {
    val ab, ba = in Bool ()
    ab.setName("ab_erase")
    ba.setName("ba_erase")
  }

  val decoder = new AxiLiteDecoder(6)
  decoder.io.input << axil

  val linkA = new ArqLink(link)
  val linkB = new ArqLink(link)
  val channelAB = new ChannelEmulator(ChannelConfig(dataBytes, maxDelay, seed = 1))
  val channelBA = new ChannelEmulator(ChannelConfig(dataBytes, maxDelay, seed = 2))
  channelAB.io.erase := erase.ab
  channelBA.io.erase := erase.ba
  val trafficA = new TrafficPort(dataBytes, seed = 3)
  val trafficB = new TrafficPort(dataBytes, seed = 4)

  private def end(port: EndPort, core: ArqLink, traffic: TrafficPort, out: ChannelEmulator, in: ChannelEmulator): Unit = {
    traffic.io.userTx << port.packetPorts.input
    core.packetPorts.input << traffic.io.tx
    traffic.io.rx << core.packetPorts.output
    port.packetPorts.output << traffic.io.userRx
    out.io.input << core.unitPorts.output
    core.unitPorts.input << in.io.output
    port.phy.valid := core.unitPorts.output.fire
    port.phy.payload := core.unitPorts.output.payload
    port.tap.valid := in.io.output.valid
    port.tap.payload := in.io.output.payload
    core.hostPorts.phyUp := True
    port.irq := core.hostPorts.irq
  }
  end(a, linkA, trafficA, channelAB, channelBA)
  end(b, linkB, trafficB, channelBA, channelAB)

  private val registers = Seq(
    linkA.hostPorts.axil,
    linkB.hostPorts.axil,
    channelAB.io.axil,
    channelBA.io.axil,
    trafficA.io.axil,
    trafficB.io.axil
  )
  for ((slave, i) <- registers.zipWithIndex) slave << decoder.io.outputs(i)
}
