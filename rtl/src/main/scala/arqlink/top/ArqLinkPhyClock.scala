// SPDX-License-Identifier: Apache-2.0
package arqlink.top

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite.AxiLite4

import arqlink.axi._
import arqlink.config.LinkConfig
import arqlink.csr.LinkRegisters

/** [[ArqLink]] whose PHY side runs on a clock of its own, `phy_aclk`; an asynchronous FIFO each way.
  *
  * Both resets are synchronous to their clocks and are given together. While the core cannot take units as fast as they come,
  * `s_axis_phy_tready` falls; if the PHY cannot wait it has to flag the unit with `tuser` in its next beat. `phy_up` may be
  * asynchronous. constraints/ has what the two clocks need.
  *
  * @param depth beats in each FIFO: a power of two
  */
class ArqLinkPhyClock(link: LinkConfig, depth: Int = 16) extends Component {
  private val dataBytes = link.code.dataBytes

  val packetIn = slave Stream PacketBeat(dataBytes)
  val packetOut = master Stream PacketBeat(dataBytes)
  val phyIn = slave Stream PhyBeat(dataBytes)
  val phyOut = master Stream PhyBeat(dataBytes)
  val axil = slave(AxiLite4(LinkRegisters.addressWidth, 32))
  val phyUp = in Bool ()
  val irq = out Bool ()
  val phyClock, phyReset = in Bool ()
  AxiNames.packet(packetIn, "s_axis")
  AxiNames.packet(packetOut, "m_axis")
  AxiNames.phy(phyIn, "s_axis_phy")
  AxiNames.phy(phyOut, "m_axis_phy")
  AxiLiteNames(axil, "s_axil")
  phyUp.setName("phy_up")
  irq.setName("irq")
  phyClock.setName("phy_aclk")
  phyReset.setName("phy_aresetn")

  private val core = ClockDomain.current
  private val phy = ClockDomain(phyClock, phyReset, config = core.config)

  val end = new ArqLink(link)
  end.io.packetIn << packetIn
  packetOut << end.io.packetOut
  end.io.axil << axil
  end.io.phyUp := phyUp
  irq := end.io.irq

  private def across(input: Stream[PhyBeat], from: ClockDomain, to: ClockDomain): Stream[PhyBeat] = {
    val fifo = StreamFifoCC(PhyBeat(dataBytes), depth, from, to)
    fifo.io.push << input
    fifo.io.pop
  }
  phyOut << across(end.io.phyOut, core, phy)
  end.io.phyIn << across(phyIn, phy, core)
}
