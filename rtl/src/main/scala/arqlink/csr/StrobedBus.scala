// SPDX-License-Identifier: Apache-2.0
package arqlink.csr

import spinal.core._
import spinal.lib.bus.localbus.MinBus
import spinal.lib.bus.misc.SizeMapping
import spinal.lib.bus.regif.BusIfAdapter.MinBusInterface
import spinal.lib.bus.regif.ClassName

/** A register bus whose byte strobes choose between the old byte and the new one as a whole, so that they become clock
  * enables; masks bit by bit, which regif makes, cost a LUT a bit.
  */
class StrobedBus(bus: MinBus, map: SizeMapping) extends MinBusInterface(bus, map)(ClassName("registers")) {
  override def wdata(reg: BaseType, section: Range, operation: String): Bits =
    if (operation != "normal") super.wdata(reg, section, operation)
    else {
      val old = reg.asBits
      val bytes = (section.min / 8 to section.max / 8).map { byte =>
        val from = section.min max 8 * byte
        val to = section.max min 8 * byte + 7
        Mux(bus.strb(byte), bus.wdat(to downto from), old(to - section.min downto from - section.min))
      }
      Cat(bytes)
    }

  override def wdata(reg: Bool, position: Int, operation: String): Bool =
    if (operation != "normal") super.wdata(reg, position, operation) else Mux(bus.strb(position / 8), bus.wdat(position), reg)
}
