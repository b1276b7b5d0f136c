// SPDX-License-Identifier: Apache-2.0
package arqlink.gf

import spinal.core._
import spinal.lib._

/** Logic of [[TowerField]], written over many elements at once as a few wide operations. */
object TowerLogic {
  private def linear(x: Bits, columns: Seq[Int], width: Int): Bits =
    (for ((column, i) <- columns.zipWithIndex) yield B(column, width bits) & B(width bits, default -> x(i))).reduceBalancedTree(_ ^ _)

  /** The operands of the three products, twelve bits, of a data byte. */
  def form(byte: Bits): Bits = linear(byte, TowerField.dataColumns, 12)

  /** The byte that P0, P1, P2 (twelve bits) make. */
  def result(products: Bits): Bits = linear(products, TowerField.resultColumns, 8)

  /** Each four bits of x times g in GF(2^4). */
  private def timesG(x: Bits): Bits = {
    def each(nibble: Int) = B(BigInt("0" + f"$nibble%x" * (x.getWidth / 4), 16), x.getWidth bits)
    val carries = (x |>> 3) & each(1)
    ((x |<< 1) & each(14)) ^ carries ^ (carries |<< 1)
  }

  /** The columns x * g^i, i = 0 to 3, for each four bits of x. */
  def columns(x: Bits): Seq[Bits] = Seq.iterate(x, 4)(timesG)
}
