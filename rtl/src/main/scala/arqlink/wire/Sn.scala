// SPDX-License-Identifier: Apache-2.0
package arqlink.wire

import spinal.core._
import spinal.lib._

/** Sequence arithmetic modulo 2^20. */
object Sn {

  /** True where `x` lies behind `base` (by up to half the space). */
  def behind(x: UInt, base: UInt): Bool = (x - base).msb

  /** `x` - `base` - 1 in one carry chain. */
  def distanceLessOne(x: UInt, base: UInt): UInt = ((x @@ False) - (base @@ True)).dropLow(1).asUInt
}
