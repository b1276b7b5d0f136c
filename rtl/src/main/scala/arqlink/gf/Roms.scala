// SPDX-License-Identifier: Apache-2.0
package arqlink.gf

import spinal.core._

import arqlink.{CodeConfig, Preset}

/** Look-up tables that the coefficient generator reads; contents are computed during elaboration. */
object Roms {
  private def rom(size: Int)(content: Int => Int): Mem[UInt] =
    Mem(UInt(8 bits), (0 until size).map(i => U(content(i), 8 bits)))

  /** log x by x; the place of log 0 holds 0, so that a factor x_m + x_m drops out of a product. */
  def log: Mem[UInt] = rom(256)(x => if (x == 0) 0 else Gf256.log(x))

  /** alpha^i by i; i = 255 is the other name of 0. */
  def exp: Mem[UInt] = rom(256)(i => Gf256.exp(i % Gf256.order))

  /** Evaluation points, at preset ## index. */
  def points(code: CodeConfig): Mem[UInt] = rom(4 << code.nBits) { a =>
    val (preset, index) = (a >> code.nBits, a & ((1 << code.nBits) - 1))
    if (Preset.all.contains(preset) && index < code.maxN) Gf256.point(preset, index) else 0
  }

  /** log S(n, j), at preset ## n ## j. */
  def products(code: CodeConfig): Mem[UInt] = rom(4 << (2 * code.nBits)) { a =>
    val mask = (1 << code.nBits) - 1
    val (preset, n, j) = (a >> (2 * code.nBits), (a >> code.nBits) & mask, a & mask)
    if (Preset.all.contains(preset) && n <= code.maxN && j < code.maxN) Gf256.logProduct(preset, n, j) else 0
  }
}
