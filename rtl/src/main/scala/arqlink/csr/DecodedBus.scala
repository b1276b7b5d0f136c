// SPDX-License-Identifier: Apache-2.0
package arqlink.csr

import spinal.core._
import spinal.lib.bus.localbus.{MinBus, MinBusConfig}
import spinal.lib.bus.misc.SizeMapping
import spinal.lib.bus.regif.BusIfAdapter.MinBusInterface
import spinal.lib.bus.regif.ClassName

/** The bus of a regif description whose addresses are decoded already.
  *
  * regif compares an address for each register, in the clock of the write; that is too slow here. So each register sees an address
  * of its own, which is a constant that is its or is not, chosen by `written`: nothing is left of the comparison.
  *
  * Byte strobes choose between the old byte and the new one as a whole, so that they become clock enables; masks bit by bit,
  * which regif makes, cost a LUT a bit.
  */
class DecodedBus(data: Bits, strobe: Bits) extends MinBusInterface(DecodedBus.always(data, strobe), SizeMapping(0, 4096))(ClassName("registers")) {

  /** Writes the register that is described next, for one clock. */
  var written: Bool = False

  override def writeAddress(): UInt = Mux(written, U(getRegPtr(), 12 bits), U(getRegPtr() ^ 4, 12 bits))

  override def wdata(reg: BaseType, section: Range, operation: String): Bits =
    if (operation != "normal") super.wdata(reg, section, operation)
    else {
      val old = reg.asBits
      Cat((section.min / 8 to section.max / 8).map { byte =>
        val from = section.min max 8 * byte
        val to = section.max min 8 * byte + 7
        Mux(strobe(byte), data(to downto from), old(to - section.min downto from - section.min))
      })
    }

  override def wdata(reg: Bool, position: Int, operation: String): Bool =
    if (operation != "normal") super.wdata(reg, position, operation) else Mux(strobe(position / 8), data(position), reg)
}

private object DecodedBus {
  def always(data: Bits, strobe: Bits): MinBus = {
    val bus = MinBus(MinBusConfig(12, 32, withStrb = true))
    bus.ce := True
    bus.wr := True
    bus.addr := 0
    bus.wdat := data
    bus.strb := strobe
    bus.prot := 0
    bus
  }
}
