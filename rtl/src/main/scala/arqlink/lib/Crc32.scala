// SPDX-License-Identifier: Apache-2.0
package arqlink.lib

import spinal.core._

/** A CRC of 32 bits in its reflected form: least significant bit of each byte first, initial value and final XOR all ones.
  *
  * @param polynomial with its bits reversed
  */
class Crc32(polynomial: BigInt) {
  private val init = BigInt("FFFFFFFF", 16)

  /** What the state is after a message and its own CRC. */
  def residue: Bits = residueAfter(0)

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

  /** State before one zero bit. */
  private def unshift(state: BigInt): BigInt =
    if (state.testBit(31)) ((state ^ polynomial) << 1) + 1 else state << 1

  /** State before `width` zero bits that have led to `state`; combinational. */
  def before(state: Bits, width: Int): Bits = {
    val columns = (0 until 32).map(i => (0 until width).foldLeft(BigInt(1) << i)((state, _) => unshift(state)))
    B((0 until 32).map(row => (state & B((0 until 32).filter(i => columns(i).testBit(row)).map(BigInt(1) << _).sum, 32 bits)).xorR))
  }

  /** What the state is after a message, its own CRC, and `width` zero bits. */
  def residueAfter(width: Int): Bits = B((0 until 32 + width).foldLeft(init)((state, _) => shift(state)), 32 bits)

  /** What is sent of a state: its bytes, least significant first. */
  def sent(state: Bits): Bits = ~state

  /** State after the bytes of `data` (byte 0 in the low bits) and `more` zero bits when it was zero before; combinational. */
  private def ofMessage(data: Bits, more: Int = 0): Bits =
    B(masks(data.getWidth + more).map(mask => (data & B(mask & ((BigInt(1) << data.getWidth) - 1), data.getWidth bits)).xorR))

  // The step is linear: the state after a message is the sum of what the message alone makes of zero and of what is left of the state
  // before. Of a wide message the first part is most of the work and is made a clock earlier, for each four bytes by themselves: a sum
  // is of half of its bits, and that of 16 is two LUTs deep. Up to 32 bits both are one sum of message and state, and one network
  // does for both.

  /** What `data` (8 to 128 bits, byte 0 in the low bits) contributes to the state after it, as parts to be added; combinational.
    *
    * @param first nothing has come before
    * @param lead  bits of `data` that count when `first`; those before are zero
    */
  def shares(data: Bits, first: Bool, lead: Int): Vec[Bits] =
    if (data.getWidth <= 32) Vec(data)
    else {
      val parts = data.subdivideIn(32 bits)
      val sums = for ((part, i) <- parts.zipWithIndex) yield ofMessage(part, data.getWidth - 32 * (i + 1))
      Vec((sums.head ^ (first ? begun(lead) | B(0, 32 bits))) +: sums.tail)
    }

  /** State before a unit's first shares, of `width` bits. */
  def empty(width: Int): Bits = B(if (width > 32) BigInt(0) else init, 32 bits)

  /** State after `width` bits with these [[shares]]; combinational. */
  def sum(shares: Vec[Bits], state: Bits, width: Int): Bits = {
    require(state.getWidth == 32, s"the CRC state has ${state.getWidth} bits; it must have 32")
    if (width > 32) shares.reduce(_ ^ _) ^ ofMessage(state, width - 32)
    else {
      val message = ofMessage(shares.head ^ state(width - 1 downto 0))
      if (width < 32) message ^ state.dropLow(width).resize(32) else message
    }
  }
}

/** That of units: IEEE 802.3 clause 3.2.9, 0x04C11DB7. */
object Crc32 extends Crc32(BigInt("EDB88320", 16))

/** That of packets: CRC-32C, 0x1EDC6F41 (Castagnoli). It has no factor in common with that of units, so damage to a payload that the unit's CRC
  * does not see is as visible to this one as any other. With the same polynomial it would never be seen.
  */
object Crc32c extends Crc32(BigInt("82F63B78", 16))
