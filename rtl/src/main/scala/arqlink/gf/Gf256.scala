// SPDX-License-Identifier: Apache-2.0
package arqlink.gf

import arqlink.config.Preset

/** Arithmetic in GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1 (0x11D, primitive element alpha = 2) for elaboration.
  *
  * Elements are the integers 0 to 255; logarithms are taken modulo 255.
  */
object Gf256 {
  val polynomial = 0x11d
  val order = 255

  /** alpha^i for i = 0 to 254. */
  val exp: Vector[Int] = Vector.iterate(1, order)(x => if ((x & 0x80) != 0) (x << 1) ^ polynomial else x << 1)

  private val logs: Array[Int] = exp.zipWithIndex.sortBy(_._1).map(_._2).toArray

  /** Discrete logarithm of x, 1 to 255. */
  def log(x: Int): Int = {
    require(x >= 1 && x <= 255, s"log($x) does not exist; x must be 1 to 255")
    logs(x - 1)
  }

  def mul(a: Int, b: Int): Int = if (a == 0 || b == 0) 0 else exp((log(a) + log(b)) % order)

  def inv(a: Int): Int = exp((order - log(a)) % order)

  /** Evaluation point of unit `index` (docs/architecture.md, "Frames and codes"): the points of zfec and of
    * RFC 5510 section 8.2, and i itself for ISA-L's Cauchy matrix.
    */
  def point(preset: Int, index: Int): Int = {
    require(index >= 0 && index < 255, s"unit index is $index; GF(2^8) has room for units 0 to 254")
    preset match {
      case Preset.Zfec    => if (index == 0) 0 else exp(index - 1)
      case Preset.Rfc5510 => exp(index)
      case Preset.Cauchy  => index
      case _              => throw new IllegalArgumentException(s"preset is $preset; it must be ${Preset.all.mkString(", ")}")
    }
  }

  /** log S(n, j), with S(n, j) the product of (x_j + x_l) over all l < n other than j. */
  def logProduct(preset: Int, n: Int, j: Int): Int =
    (0 until n).filter(_ != j).map(l => log(point(preset, j) ^ point(preset, l))).sum % order
}
