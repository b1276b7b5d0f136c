// SPDX-License-Identifier: Apache-2.0
package arqlink.lib

import spinal.core._

/** A CRC of 32 bits in its reflected form: least significant bit of each byte first, initial value and final XOR all ones.
  *
  * A message comes in beats of w bits, w a power of two. A beat makes x^w s + m of the state s, a polynomial modulo the CRC's own. Squares are linear
  * there, and each state is the square of one other, as no factor is twice in the CRC's polynomial. So the register holds the w-th ''root'' of
  * the state: of that a beat makes x r plus the root of m. That is one shift, and the `shares` of the beat, which are made a clock earlier. A CRC
  * is compared as a root; only who sends it needs the `state`.
  *
  * @param polynomial with its bits reversed
  */
class Crc32(polynomial: BigInt) {
  private val init = BigInt("FFFFFFFF", 16)

  private def bit(at: Int): BigInt = BigInt(1) << at
  private def times(count: Int, step: BigInt => BigInt)(state: BigInt): BigInt = (0 until count).foldLeft(state)((now, _) => step(now))

  /** State after one zero bit: times x. The highest power, x^31, is bit 0. */
  private def shift(state: BigInt): BigInt = if (state.testBit(0)) (state >> 1) ^ polynomial else state >> 1

  /** State before it. */
  private def unshift(state: BigInt): BigInt = if (state.testBit(31)) ((state ^ polynomial) << 1) + 1 else state << 1

  private val squares = (0 until 32).map(at => times(31 - at, shift)(bit(at)))
  private def square(state: BigInt): BigInt = (0 until 32).filter(state.testBit).map(squares).foldLeft(BigInt(0))(_ ^ _)

  /** So many squares lead back to where they began: one less is the square root. */
  private val cycle = (1 to 32).find(count => (0 until 32).forall(at => times(count, square)(bit(at)) == bit(at))).get
  private def power(width: Int)(state: BigInt): BigInt = times(log2Up(width), square)(state)
  private def root(width: Int)(state: BigInt): BigInt = times(cycle - log2Up(width), square)(state)

  /** The linear function that makes columns(i) of bit i alone; combinational. */
  private def linear(x: Bits, columns: Seq[BigInt]): Bits =
    B((0 until 32).map(row => (x & B(columns.indices.filter(columns(_).testBit(row)).map(bit).sum, x.getWidth bits)).xorR))
  private def linear(x: Bits, to: BigInt => BigInt): Bits = linear(x, (0 until x.getWidth).map(at => to(bit(at))))

  /** What the register holds before a message of beats of `width` bits, of which the first `zeros` bits are zero and do not count. */
  def begin(width: Int, zeros: Int = 0): Bits = B(root(width)(times(zeros, unshift)(init)), 32 bits)

  /** What `data`, a beat of 8 to 128 bits with byte 0 in the low bits, adds to the register: parts of 32 bits, each for four bytes; combinational. */
  def shares(data: Bits): Vec[Bits] = {
    val width = data.getWidth
    require(isPow2(width) && width <= 128, s"a CRC of beats of $width bits; they must have 8, 16, 32, 64 or 128")
    // Bit i meets the state's bit 0 after i shifts, and is shifted width - i times from there.
    val columns = (0 until width).map(i => root(width)(times(width - i, shift)(bit(0))))
    Vec(data.subdivideIn(32 min width bits).zip(columns.grouped(32)).map { case (part, some) => linear(part, some) })
  }

  /** The register after a beat with these shares; combinational. */
  def step(register: Bits, shares: Vec[Bits]): Bits = shares.foldLeft(linear(register, shift _))(_ ^ _)

  /** The state whose root the register holds; combinational. */
  def state(register: Bits, width: Int): Bits = linear(register, power(width) _)

  /** What the register holds after a message, its own CRC, and so many zero bits. */
  def residue(width: Int, zeros: Int = 0): Bits = B(root(width)(times(32 + zeros, shift)(init)), 32 bits)

  /** State before `width` zero bits that have led to `state`; combinational. */
  def before(state: Bits, width: Int): Bits = linear(state, times(width, unshift) _)

  /** What is sent of a state: its bytes, least significant first. */
  def sent(state: Bits): Bits = ~state
}

/** That of units: IEEE 802.3 clause 3.2.9, 0x04C11DB7. */
object Crc32 extends Crc32(BigInt("EDB88320", 16))

/** That of packets: CRC-32C, 0x1EDC6F41 (Castagnoli). It has no factor in common with that of units, so damage to a payload that the unit's CRC
  * does not see is as visible to this one as any other. With the same polynomial it would never be seen.
  */
object Crc32c extends Crc32(BigInt("82F63B78", 16))
