// SPDX-License-Identifier: Apache-2.0
package arqlink.soc

import spinal.core._
import spinal.lib._
import spinal.lib.bus.wishbone._

import arqlink.lib.Invariant

/** On-chip memory behind Wishbone, 32 bits wide, one access in two clocks; it repeats over the addresses above its size.
  *
  * @param bytes    size: a power of two
  * @param content  bytes from the start on; the rest is zero. Empty: no initial content
  * @param writable false: a write is answered with ERR
  */
class WishboneMemory(bytes: Int, content: Seq[Byte], writable: Boolean) extends Component {
  val bus = slave(Wishbone(SocBus.config))

  private val words = bytes / 4
  private val memory = Mem(Bits(32 bits), words)
  if (content.nonEmpty)
    memory.init(content.padTo(bytes, 0.toByte).grouped(4).toSeq.map(word => B(SocBus.word(word), 32 bits)))

  memory.addAttribute("no_rw_check") // what a write reads is not used
  private val busy = RegInit(False)
  private val access = bus.CYC && bus.STB && !busy
  busy := access
  Invariant.when(busy)(bus.CYC && bus.STB, "an access is answered that is not there")

  private val address = bus.ADR(log2Up(words) - 1 downto 0)
  bus.DAT_MISO := memory.readSync(address, access)
  if (writable) memory.write(address, bus.DAT_MOSI, access && bus.WE, bus.SEL)
  bus.ACK := busy && (if (writable) True else !bus.WE)
  bus.ERR := busy && (if (writable) False else bus.WE)
}

object SocBus {

  /** Classic cycles, word addresses: the CPU's. */
  val config = WishboneConfig(30, 32, selWidth = 4, useERR = true, addressGranularity = AddressGranularity.WORD)

  /** Four bytes as a little-endian word. */
  def word(bytes: Seq[Byte]): BigInt = bytes.zipWithIndex.map { case (b, i) => BigInt(b & 0xff) << (8 * i) }.sum
}
