// SPDX-License-Identifier: Apache-2.0
package arqlink.soc

import spinal.core._
import spinal.lib._
import spinal.lib.bus.misc.SizeMapping
import spinal.lib.bus.wishbone._

import arqlink.lib.Invariant

/** Ends every access to an address that nothing has, and shows errors to software.
  *
  * The CPU does not look at ERR, so an access that fails is ended with ACK, reads as 0, and shows in `failed` and
  * `address`; SYSTEM.BUS_ERROR keeps it.
  *
  * @param mapped addresses that a slave has, in bytes
  */
class BusGuard(mapped: Seq[SizeMapping]) extends Component {
  val input = slave(Wishbone(SocBus.config))
  val output = master(Wishbone(SocBus.config))
  val failed = out Bool ()
  val address = out UInt (32 bits)

  address := input.ADR @@ U(0, 2 bits)
  private val known = mapped.map(_.hit(address)).reduce(_ || _)
  private val active = input.CYC && input.STB

  output.CYC := input.CYC && known
  output.STB := input.STB && known
  output.WE := input.WE
  output.ADR := input.ADR
  output.DAT_MOSI := input.DAT_MOSI
  output.SEL := input.SEL

  private val refusing = RegInit(False)
  refusing := active && !known && !refusing
  Invariant.when(refusing)(active && !known, "an access is refused that is not there")
  failed := refusing || (active && known && output.ERR)
  input.ACK := failed || (active && known && output.ACK)
  input.ERR := failed
  input.DAT_MISO := failed ? B(0, 32 bits) | output.DAT_MISO
}
