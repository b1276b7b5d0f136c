// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._

import arqlink.config.CodeConfig

/** Lanes of the multiply-accumulate array. */
object Lanes {

  /** Number of a lane, 0 to maxParity - 1. */
  def bits(code: CodeConfig): Int = log2Up(code.maxParity) max 1

  /** The beat of lane `lane` in a word that holds those of all lanes, lane 0 in the low bits. */
  def beatOf(code: CodeConfig, word: Bits, lane: UInt): Bits =
    if (code.maxParity == 1) word else word.subdivideIn(code.dataBits bits)(lane)
}
