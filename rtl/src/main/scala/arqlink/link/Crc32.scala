// SPDX-License-Identifier: Apache-2.0
package arqlink.link

import spinal.core._

/** CRC-32 of IEEE 802.3 clause 3.2.9 in its reflected form: least significant bit of each byte first. */
object Crc32 {

  /** 0x04C11DB7 with its bits reversed. */
  private val polynomial = BigInt("EDB88320", 16)

  private val init = BigInt("FFFFFFFF", 16)

  /** What the state is after a message and its own CRC. */
  def residue: Bits = B(BigInt("DEBB20E3", 16), 32 bits)

  /** State after one zero bit. */
  private def shift(state: BigInt): BigInt = if (state.testBit(0)) (state >> 1) ^ polynomial else state >> 1

  /** For each state bit, which of `width` message bits it is the sum of, when the message is all that counts. */
  private def masks(width: Int): Seq[BigInt] = {
    val columns = (0 until width).map { i =>
      // Bit i meets the state's bit 0 after i shifts, and is shifted width - i times from there.
      (i until width).foldLeft(BigInt(1))((state, _) => shift(state))
    }
    (0 until 32).map(row => (0 until width).filter(i => columns(i).testBit(row)).map(BigInt(1) << _).sum)
  }

  /** State after `width` zero bits, from the initial one. */
  private def begun(width: Int): Bits =
    B((0 until width).foldLeft(init)((state, _) => shift(state)), 32 bits)

  /** State after the bytes of `data` (byte 0 in the low bits) when it was zero before; combinational. */
  private def ofMessage(data: Bits): Bits =
    B(masks(data.getWidth).map(mask => (data & B(mask, data.getWidth bits)).xorR))

  // The step is linear: the state after a message is the sum of what the message alone makes of zero and of what is left of the state
  // before. Of a wide message the first part is most of the work and is made a clock earlier. Up to 32 bits both are one sum of
  // message and state, and one network does for both.

  /** What `data` (8 to 128 bits, byte 0 in the low bits) contributes to the state after it; combinational.
    *
    * @param first nothing has come before
    * @param lead  bits of `data` that count when `first`; those before are zero
    */
  def share(data: Bits, first: Bool, lead: Int): Bits =
    if (data.getWidth <= 32) data else ofMessage(data) ^ (first ? begun(lead) | B(0, 32 bits))

  /** State before a unit's first share of `width` bits. */
  def empty(width: Int): Bits = B(if (width > 32) BigInt(0) else init, 32 bits)

  /** State after `width` bits with this [[share]]; combinational. */
  def sum(share: Bits, state: Bits, width: Int): Bits = {
    require(state.getWidth == 32, s"the CRC state has ${state.getWidth} bits; it must have 32")
    if (width > 32) share ^ ofMessage(state.resize(width))
    else {
      val message = ofMessage(share ^ state(width - 1 downto 0))
      if (width < 32) message ^ (state >> width).resize(32) else message
    }
  }
}
