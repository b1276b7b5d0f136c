// SPDX-License-Identifier: Apache-2.0
package arqlink.lib

import spinal.core._
import spinal.lib._

/** Arithmetic of sequence numbers: modulo 2 to the power of their width. */
object SeqNum {

  /** `x` lies below `edge`, by up to half of all numbers. */
  def isBelow(x: UInt, edge: UInt): Bool = (x - edge).msb

  /** `later` is `earlier` + 1, both from bit `from` on: the lowest bit changes, and each other one where the bit below it falls. Without an adder, so
    * without a carry.
    */
  def follows(later: UInt, earlier: UInt, from: Int = 0): Bool = {
    val (high, low) = (widthOf(later) - 1 downto from + 1, widthOf(later) - 2 downto from)
    later(from) =/= earlier(from) && (later(high) ^ earlier(high)) === (earlier(low) & ~later(low))
  }

  /** `x` - `base` - 1 in one carry chain. */
  def distanceLessOne(x: UInt, base: UInt): UInt = ((x @@ False) - (base @@ True)).dropLow(1).asUInt
}
