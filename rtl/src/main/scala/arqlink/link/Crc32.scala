// SPDX-License-Identifier: Apache-2.0
package arqlink.link

import spinal.core._

/** CRC-32 of IEEE 802.3 clause 3.2.9 in its reflected form: least significant bit of each byte first. */
object Crc32 {

  /** 0x04C11DB7 with its bits reversed. */
  private val polynomial = BigInt("EDB88320", 16)

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

  /** State after `width` zero bits, from the initial one; the sum of this and [[ofMessage]] is the state after a message's first bits. */
  def begun(width: Int): Bits = B((0 until width).foldLeft(BigInt("FFFFFFFF", 16))((state, _) => shift(state)), 32 bits)

  // The step is linear: the state after a message is what the message alone makes of zero, and what is left of the state before.
  // So the first sum, which is the wide one, can be made a clock earlier.

  /** State after the bytes of `data` (8 to 128 bits, byte 0 in the low bits) when it was zero before; combinational. */
  def ofMessage(data: Bits): Bits = B(masks(data.getWidth).map(mask => (data & B(mask, data.getWidth bits)).xorR))

  /** State after `width` zero bits; combinational. */
  def advance(crc: Bits, width: Int): Bits = {
    require(crc.getWidth == 32, s"the CRC state has ${crc.getWidth} bits; it must have 32")
    if (width < 32) ofMessage(crc(width - 1 downto 0)) ^ (crc >> width).resize(32) else ofMessage(crc.resize(width))
  }
}
