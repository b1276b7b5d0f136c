// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._

import arqlink.config.CodeConfig

/** Lanes of the multiply-accumulate array. */
object Lanes {

  /** Number of a lane, 0 to maxParity - 1. */
  def bits(code: CodeConfig): Int = log2Up(code.maxParity) max 1
}
