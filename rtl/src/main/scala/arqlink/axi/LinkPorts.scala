// SPDX-License-Identifier: Apache-2.0
package arqlink.axi

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite.AxiLite4

/** Packets of a link end: `s_axis` takes them, `m_axis` gives them, both behind `prefix`. */
class PacketPorts(dataBytes: Int, prefix: String = "") extends Area {
  val input = slave Stream PacketBeat(dataBytes)
  val output = master Stream PacketBeat(dataBytes)
  AxiNames.packet(input, s"${prefix}s_axis")
  AxiNames.packet(output, s"${prefix}m_axis")

  /** Shows the ports of a component inside. */
  def show(inner: PacketPorts): Unit = {
    inner.input << input
    output << inner.output
  }
}

/** Units of a link end: `s_axis_phy` takes them, `m_axis_phy` gives them. */
class UnitPorts(dataBytes: Int) extends Area {
  val input = slave Stream PhyBeat(dataBytes)
  val output = master Stream PhyBeat(dataBytes)
  AxiNames.phy(input, "s_axis_phy")
  AxiNames.phy(output, "m_axis_phy")
}

/** What else a link end has: registers, `irq`, and whether the PHY has its carrier. */
class HostPorts(addressBits: Int) extends Area {
  val axil = slave(AxiLite4(addressBits, 32))
  val phyUp = in Bool ()
  val irq = out Bool ()
  AxiLiteNames(axil, "s_axil")
  phyUp.setName("phy_up")
  irq.setName("irq")

  /** Shows the ports of a component inside. */
  def show(inner: HostPorts): Unit = {
    inner.axil << axil
    inner.phyUp := phyUp
    irq := inner.irq
  }
}
