// SPDX-License-Identifier: Apache-2.0
package arqlink.gf

import spinal.core._

import arqlink.config.{CodeConfig, Preset}

/** Look-up tables of the coefficient generators; contents are computed during elaboration. */
object Roms {
  private def rom(size: Int)(content: Int => Int): Mem[UInt] =
    Mem(UInt(8 bits), (0 until size).map(i => U(content(i), 8 bits))).addAttribute("ram_style", "block")

  /** log x by x; the place of log 0 holds 0, so that a factor x_m + x_m drops out of a product. */
  def log: Mem[UInt] = rom(256)(x => if (x == 0) 0 else Gf256.log(x))

  /** Tower byte of alpha^(i - 1) by i, 0 to 2047; i need not be reduced modulo 255. */
  def shiftedExp: Mem[UInt] = rom(2048)(i => TowerField.tower(Gf256.exp((i + Gf256.order - 1) % Gf256.order)))

  /** Evaluation points, at preset ## index. */
  def points(code: CodeConfig): Mem[UInt] = rom(4 << code.nBits) { a =>
    val (preset, index) = (a >> code.nBits, a & ((1 << code.nBits) - 1))
    if (Preset.all.contains(preset) && index < code.maxN) Gf256.point(preset, index) else 0
  }

  /** log S(K, y) of the presets 0 and 1, at preset ## K ## y, K modulo the power of two from maxK on. */
  def products(code: CodeConfig): Mem[UInt] = {
    val kBits = log2Up(code.maxK)
    rom(2 << (kBits + code.nBits)) { a =>
      val (preset, row, y) = (a >> (kBits + code.nBits), (a >> code.nBits) & ((1 << kBits) - 1), a & ((1 << code.nBits) - 1))
      val k = if (row == 0) 1 << kBits else row
      if (k <= code.maxK && y < code.maxN) Gf256.logProduct(preset, k, y) else 0
    }
  }
}
