// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._

import arqlink.config.{CodeConfig, Preset}
import arqlink.gf.{Gf256, TowerField}

/** The coefficients of all erasure patterns that a small code can have: one word for each preset, pattern and received unit, which holds the
  * tower bytes of all lanes; lane i makes the i-th missing data unit.
  *
  * A pattern is known by the mask of its received units, as these are K.
  */
class DecodeTable(code: CodeConfig) extends Component {
  private val patterns = DecodeTable.patterns(code)
  private val unitBits = log2Up(code.maxK) max 1
  private val patternBits = log2Up(patterns.size) max 1
  val io = new Bundle {
    val preset = in UInt (2 bits)
    val received = in Bits (code.maxN bits)
    val unit = in UInt (unitBits bits)

    /** Two clocks later. */
    val coefficients = out Bits (8 * code.maxParity bits)
  }

  private val numbers = patterns.zipWithIndex.map { case (mask, number) => mask -> number }.toMap
  private val pattern = Vec((0 until 1 << code.maxN).map(mask => U(numbers.getOrElse(mask, 0), patternBits bits)))(io.received.asUInt)
  private val words = Mem(
    Bits(8 * code.maxParity bits),
    for (preset <- Preset.all; mask <- patterns.padTo(1 << patternBits, 0); j <- 0 until 1 << unitBits)
      yield B(DecodeTable.word(code, preset, mask, j), 8 * code.maxParity bits)
  )
  words.addAttribute("ram_style", "block")
  io.coefficients := words.readSync(RegNext(io.preset @@ pattern @@ io.unit))
}

object DecodeTable {
  private def ones(mask: Int, width: Int): Seq[Int] = (0 until width).filter(i => (mask >> i & 1) == 1)

  /** Masks of received units with a data unit missing: K ones, all below K + maxParity. */
  def patterns(code: CodeConfig): Seq[Int] = (1 until 1 << code.maxN).filter { mask =>
    val units = ones(mask, code.maxN)
    val k = units.size
    k <= code.maxK && units.last < k + code.maxParity && units.last >= k
  }

  private def word(code: CodeConfig, preset: Int, mask: Int, j: Int): BigInt = {
    val units = ones(mask, code.maxN)
    if (j >= units.size) 0
    else {
      val inverse = invert(units.map(row(preset, units.size, _)))
      val missing = (0 until units.size).filterNot(units.contains)
      missing.zipWithIndex.map { case (m, lane) => BigInt(TowerField.tower(inverse(m)(j))) << (8 * lane) }.sum
    }
  }

  /** What unit `index` is of the k data units. */
  private def row(preset: Int, k: Int, index: Int): Vector[Int] = Vector.tabulate(k) { j =>
    if (index < k) (if (index == j) 1 else 0) else EncodeCoefficients.value(preset, k, j, index)
  }

  /** Inverse of a matrix over GF(2^8): Gauss and Jordan. */
  private def invert(matrix: Seq[Vector[Int]]): Seq[Vector[Int]] = {
    val n = matrix.size
    def scaled(row: Vector[Int], factor: Int) = row.map(Gf256.mul(_, factor))
    val joined = matrix.zipWithIndex.map { case (row, i) => row ++ Vector.tabulate(n)(j => if (i == j) 1 else 0) }.toVector
    val reduced = (0 until n).foldLeft(joined) { (rows, column) =>
      val at = rows.indexWhere(_(column) != 0, column)
      val pivot = scaled(rows(at), Gf256.inv(rows(at)(column)))
      val swapped = rows.updated(at, rows(column)).updated(column, pivot)
      swapped.zipWithIndex.map { case (row, i) =>
        if (i == column) row else row.zip(scaled(pivot, row(column))).map { case (a, b) => a ^ b }
      }
    }
    reduced.map(_.drop(n))
  }
}
