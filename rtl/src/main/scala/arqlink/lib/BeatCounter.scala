// SPDX-License-Identifier: Apache-2.0
package arqlink.lib

import spinal.core._

/** Position within a unit of `beats` beats, two or more: counts from beats - 2 down to -1, so that the last beat shows in the sign. It starts again
  * after the last one.
  */
class BeatCounter(beats: Int) extends Area {
  require(beats >= 2, s"a unit has $beats beats; it must have two or more")
  private val bits = log2Up(beats)
  private val start = S(beats - 2, bits + 1 bits)
  private val count = Reg(SInt(bits + 1 bits)) init start

  val last: Bool = count.msb

  /** The beat is the first one of its unit. */
  val first: Bool = RegInit(True)

  /** The next beat is the last one. */
  def isNextLast: Bool = count === 0

  /** A different one for each beat of a unit. */
  val address: UInt = count(bits - 1 downto 0).asUInt

  /** Beats of the unit after this one. */
  def left: UInt = (count + 1)(bits - 1 downto 0).asUInt

  /** Beats of its unit after the next one. */
  def nextLeft: UInt = last ? U(beats - 1, bits bits) | address

  def step(): Unit = {
    count := last ? start | (count - 1)
    first := last
  }

  def restart(): Unit = {
    count := start
    first := True
  }
}
