// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._

import arqlink.gf.TowerLogic

/** Products of a data byte and the coefficients of all lanes, combinational. */
object LaneProducts {

  /** Those of all bytes of a beat, the first byte's in the low bits. */
  def ofBeat(data: Bits, coefficients: Bits): Bits = Cat(data.subdivideIn(8 bits).map(apply(_, coefficients)))

  /** @param coefficients tower bytes, one for each lane; the products, in the usual basis, lie side by side as these do */
  def apply(byte: Bits, coefficients: Bits): Bits = {
    val form = TowerLogic.form(byte)
    Cat(coefficients.subdivideIn(8 bits).map { c =>
      val operands = Seq(c(3 downto 0), c(7 downto 4), c(3 downto 0) ^ c(7 downto 4))
      val products = for ((operand, p) <- operands.zipWithIndex) yield {
        val columns = TowerLogic.columns(operand)
        (0 until 4).map(i => columns(i) & B(4 bits, default -> form(4 * p + i))).reduce(_ ^ _)
      }
      TowerLogic.result(Cat(products))
    })
  }
}
