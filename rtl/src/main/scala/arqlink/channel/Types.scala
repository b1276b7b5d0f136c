// SPDX-License-Identifier: Apache-2.0
package arqlink.channel

import spinal.core._

/** One direction of an emulated channel.
  *
  * @param dataBytes width of the PHY stream in bytes: 1, 2, 4, 8 or 16
  * @param maxDelay  depth of the delay line in clocks: a power of two, 16 to 2^24; DELAY reaches maxDelay - 1
  * @param seed      seed of the random numbers after reset, 32 bits
  */
case class ChannelConfig(dataBytes: Int, maxDelay: Int, seed: BigInt = 1) {
  require(Set(1, 2, 4, 8, 16)(dataBytes), s"dataBytes is $dataBytes; it must be 1, 2, 4, 8 or 16")
  require(
    isPow2(maxDelay) && maxDelay >= 16 && maxDelay <= (1 << 24),
    s"maxDelay is $maxDelay; it must be a power of two from 16 to 16777216"
  )
  require(seed >= 0 && seed < (BigInt(1) << 32), s"seed is $seed; it must fit into 32 bits")
  def delayBits: Int = log2Up(maxDelay)
}

/** How units are erased; see "Registers" in docs/channel_emulator.md. Probabilities are multiples of 2^-32. */
case class ErasureSetting() extends Bundle {
  val enable = Bool()
  val outage = Bool()
  val gilbertElliott = Bool()
  val spareControl = Bool()
  val mode = UInt(2 bits)
  val good = UInt(32 bits)
  val bad = UInt(32 bits)
  val goodToBad = UInt(32 bits)
  val badToGood = UInt(32 bits)
  val pace = UInt(32 bits)
}

/** Pulses in the clock of a unit's first beat. */
case class ErasureEvents() extends Bundle {
  val unit = Bool()
  val control = Bool()
  val erased = Bool()
}

/** What the generator sends. Lengths in bytes, `gap` in clocks, `count` in packets, 0 = without end. */
case class TrafficSetting() extends Bundle {
  val randomLength = Bool()
  val lengthMin = UInt(16 bits)
  val lengthMax = UInt(16 bits)
  val gap = UInt(32 bits)
  val count = UInt(32 bits)
}

/** The bytes of a generated packet: its number (32 bits, least significant byte first), its length (16 bits), 16 zero
  * bits, then bytes that follow from number and position.
  */
object TrafficPattern {
  val headerBytes = 8

  def apply(number: UInt, position: UInt): Bits =
    ((position(7 downto 0) + number(7 downto 0)) ^ position(15 downto 8) ^ number(15 downto 8)).asBits

  def header(number: UInt, length: UInt): Bits = B(0, 16 bits) ## length ## number
}
