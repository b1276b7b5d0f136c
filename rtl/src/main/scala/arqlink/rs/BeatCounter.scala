// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._

import arqlink._

/** Position within a unit: counts from unitBeats - 2 down to -1, so that the last beat shows in the sign. */
class BeatCounter(code: CodeConfig) extends Area {
  private val bits = code.unitBeatBits
  private val start = S(code.unitBeats - 2, bits + 1 bits)
  private val count = Reg(SInt(bits + 1 bits)) init start

  val last: Bool = count.msb

  /** The beat has been the first one of its unit. */
  val first: Bool = RegInit(True)

  /** A different one for each beat of a unit. */
  val address: UInt = count(bits - 1 downto 0).asUInt

  def step(): Unit = {
    count := last ? start | (count - 1)
    first := last
  }
}
