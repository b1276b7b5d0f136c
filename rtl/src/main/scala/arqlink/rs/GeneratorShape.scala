// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._

import arqlink.config.CodeConfig

/** How parallel the decoder's coefficient generation is built, so that it keeps up with units of any length.
  *
  * A generator spends 2 groups clocks on each of the K + t points of a frame with t <= K units to recover, so at most 4 K groups clocks
  * on a frame that takes K unitBeats clocks.
  */
case class GeneratorShape(code: CodeConfig) {

  /** Groups that the lanes are dealt with in, one a clock: a power of two. */
  val groups: Int = Seq(1, 2, 4, 8, 16, 32, 64).filter(g => 4 * g <= (code.unitBeats max 4) && (g == 1 || g < 2 * code.maxParity)).last

  /** Lanes in a group; a power of two unless there is one group only. */
  val lanes: Int = if (groups == 1) code.maxParity else 1 << log2Up((code.maxParity + groups - 1) / groups)

  /** Generators that take turns, frame by frame. */
  val generators: Int = (4 + code.unitBeats - 1) / code.unitBeats

  val groupBits: Int = log2Up(groups) max 1
  val positionBits: Int = log2Up(code.maxK max code.maxParity) max 1
  val targetBits: Int = log2Up(code.maxParity + 1)

  /** Frames whose lists of points are kept in one generator. */
  val bankBits = 2

  /** Vectors that wait for the array: as many as are used up while the factors of a frame's wanted units are computed. */
  val vectors: Int = 1 << log2Up(if (generators > 1) 2 * code.maxK + 8 else code.maxParity / 2 + 6)

  /** Frames within the decoder. */
  val frames: Int = 16 max (64 >> log2Up(code.unitBeats))

  /** The group of a wanted unit, and whether it is in lane `lane` of its group. */
  def group(position: UInt): UInt = if (groups == 1) U(0, groupBits bits) else position.dropLow(log2Up(lanes)).asUInt.resize(groupBits)
  def isIn(lane: Int, position: UInt): Bool =
    if (lanes == 1) True else (if (groups == 1) position else position(log2Up(lanes) - 1 downto 0)) === lane
}
