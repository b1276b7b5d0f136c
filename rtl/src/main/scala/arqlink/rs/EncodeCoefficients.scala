// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

import arqlink.config.{CodeConfig, Preset}
import arqlink.gf.{Gf256, TowerField}

/** The coefficients of all codes that the build has room for: one word per preset, K and data unit, which holds the tower
  * bytes of all parity units. That is 3 maxK (maxK + 1) / 2 words of maxParity bytes.
  *
  * Word `start(preset, K) + j` belongs to data unit j.
  */
class EncodeCoefficients(code: CodeConfig) extends Component {
  val size = EncodeCoefficients.words(code)
  val io = new Bundle {
    val preset = in UInt (2 bits)
    val k = in UInt (code.kBits bits)

    /** The sum of these is the address of the first word, from `preset` and `k` in the same clock. */
    val offset, row = out UInt (log2Up(size) bits)
    val address = in UInt (log2Up(size) bits)

    /** The word at `address` a clock before. */
    val coefficients = out(Vec(Bits(8 bits), code.maxParity))
  }

  private def startOf(k: Int): Int = k * (k - 1) / 2
  // The three preset's triangles follow each other.
  val offsets = Preset.all.map(preset => io.preset.mux(preset -> U(preset * size / Preset.all.size, log2Up(size) bits), default -> U(0, log2Up(size) bits)))
  val rows = Vec((0 until 1 << code.kBits).map(k => U(if (k >= 1 && k <= code.maxK) startOf(k) else 0, log2Up(size) bits)))
  io.offset := offsets.reduce(_ | _)
  io.row := rows(io.k)

  val words = Mem(
    Bits(8 * code.maxParity bits),
    for (preset <- Preset.all; k <- 1 to code.maxK; j <- 0 until k) yield {
      val bytes = (0 until code.maxParity).map(lane => BigInt(TowerField.tower(EncodeCoefficients.value(preset, k, j, k + lane))))
      B(bytes.zipWithIndex.map { case (byte, lane) => byte << (8 * lane) }.sum, 8 * code.maxParity bits)
    }
  )
  io.coefficients := Vec(words.readSync(io.address).subdivideIn(8 bits))
}

object EncodeCoefficients {
  def words(code: CodeConfig): Int = Preset.all.size * code.maxK * (code.maxK + 1) / 2

  /** Coefficient of data unit j in unit m of a codeword with K data units: with S(K, y) the product of (x_y + x_l) over l < K, l other
    * than y, it is S(K, m) / S(K, j) / (x_m + x_j), Lagrange's formula. ISA-L's Cauchy matrix is 1 / (x_m + x_j).
    */
  def value(preset: Int, k: Int, j: Int, m: Int): Int = {
    val distance = Gf256.log(Gf256.point(preset, m) ^ Gf256.point(preset, j))
    val scale = if (preset == Preset.Cauchy) 0 else Gf256.logProduct(preset, k, m) - Gf256.logProduct(preset, k, j)
    Gf256.exp(Math.floorMod(scale - distance, Gf256.order))
  }
}
