// SPDX-License-Identifier: Apache-2.0
package arqlink.lib

import spinal.core._

/** Position within a unit of `beats` beats, two or more: counts from beats - 2 down to -1, so that the last beat shows in the sign. */
class BeatCounter(beats: Int) extends Area {
  private val bits = log2Up(beats)
  private val start = S(beats - 2, bits + 1 bits)
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
