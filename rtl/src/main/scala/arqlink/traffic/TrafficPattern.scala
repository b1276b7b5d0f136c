// SPDX-License-Identifier: Apache-2.0
package arqlink.traffic

import spinal.core._

/** The bytes of a generated packet: its number (32 bits, least significant byte first), its length (16 bits), 16 zero
  * bits, then bytes that follow from number and position.
  */
object TrafficPattern {
  val headerBytes = 8

  def apply(number: UInt, position: UInt): Bits =
    ((position(7 downto 0) + number(7 downto 0)) ^ position(15 downto 8) ^ number(15 downto 8)).asBits

  def header(number: UInt, length: UInt): Bits = B(0, 16 bits) ## length ## number
}
