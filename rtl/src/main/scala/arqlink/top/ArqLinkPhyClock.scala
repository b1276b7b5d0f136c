// SPDX-License-Identifier: Apache-2.0
package arqlink.top

import spinal.core._
import spinal.lib._

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

  val packetPorts = new PacketPorts(dataBytes)
  val unitPorts = new UnitPorts(dataBytes)
  val hostPorts = new HostPorts(LinkRegisters.addressWidth)
  val phyClock, phyReset = in Bool ()
  phyClock.setName("phy_aclk")
  phyReset.setName("phy_aresetn")

  private val core = ClockDomain.current
  private val phy = ClockDomain(phyClock, phyReset, config = core.config)

  val end = new ArqLink(link)
  packetPorts.show(end.packetPorts)
  hostPorts.show(end.hostPorts)

  private def across(input: Stream[PhyBeat], from: ClockDomain, to: ClockDomain): Stream[PhyBeat] = {
    val fifo = StreamFifoCC(PhyBeat(dataBytes), depth, from, to)
    fifo.io.push << input
    fifo.io.pop
  }
  unitPorts.output << across(end.unitPorts.output, core, phy)
  end.unitPorts.input << across(unitPorts.input, phy, core)
}
