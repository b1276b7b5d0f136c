// SPDX-License-Identifier: Apache-2.0
package arqlink.wire

import spinal.core._
import spinal.lib._

/** Sequence arithmetic modulo 2^20. */
object Sn {

  /** True where `x` lies behind `base` (by up to half the space). */
  def behind(x: UInt, base: UInt): Bool = (x - base).msb

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
