// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._

import arqlink._

/** Position within a unit: counts from unitBeats - 2 down to -1, so that the last beat shows in the sign. A unit of one beat has nothing
  * to count.
  */
class BeatCounter(code: CodeConfig) extends Area {
  private val bits = code.unitBeatBits
  private val single = code.unitBeats == 1
  private val start = !single generate S(code.unitBeats - 2, bits + 1 bits)
  private val count = !single generate (Reg(SInt(bits + 1 bits)) init start)

  val last: Bool = if (single) True else count.msb

  /** The beat has been the first one of its unit. */
  val first: Bool = if (single) True else RegInit(True)

  /** A different one for each beat of a unit. */
  val address: UInt = if (single) U(0, bits bits) else count(bits - 1 downto 0).asUInt

  def step(): Unit = if (!single) {
    count := last ? start | (count - 1)
    first := last
  }
}
