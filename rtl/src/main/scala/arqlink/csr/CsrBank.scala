// SPDX-License-Identifier: Apache-2.0
package arqlink.csr

import spinal.core._
import spinal.lib.{Counter => _, _}
import spinal.lib.bus.amba4.axilite.AxiLite4

import arqlink.axi.AxiLiteNames
import arqlink.config.LinkConfig

/** Registers and counters of one link end behind one AXI4-Lite slave, 32 bits wide: docs/architecture.md, "Registers".
  *
  * An access to an address that no register has, or a write to one that is only read, is answered with SLVERR and sets ERROR.access;
  * [[arqlink.axi.RegisterPort]] has the exceptions, for converters from 64 bits.
  */
class CsrBank(link: LinkConfig, count: Seq[Counter] = Counters.all) extends Component {
  val io = new Bundle {
    val axil = slave(AxiLite4(LinkRegisters.addressWidth, 32))
    val setting = out(LinkSetting(link.code))
    val command = out(LinkCommand())
    val status = in(LinkStatus())
    val errors = in(LinkErrors())
    val events = in(CounterEvents(count))
    val irq = out Bool ()
  }
  AxiLiteNames(io.axil, "s_axil")

  val registers = new LinkRegisters(link, count.size)
  registers.io.axil << io.axil
  io.setting := registers.io.setting
  io.command := registers.io.command
  registers.io.status := io.status
  registers.io.errors := io.errors
  io.irq := registers.io.irq

  val counters = new CounterBank(count)
  counters.io.events := io.events
  counters.io.port <> registers.io.counters
}
