// SPDX-License-Identifier: Apache-2.0
package arqlink.gf

import spinal.core._

/** Logic over GF(2^8) and over logarithms modulo 255. */
object GfLogic {

  /** x times alpha: shift and reduce by 0x11D. */
  def timesAlpha(x: Bits): Bits = {
    require(x.getWidth == 8, s"a field element has 8 bits, not ${x.getWidth}")
    (x(6 downto 0) ## False) ^ Mux(x.msb, B(Gf256.polynomial & 0xff, 8 bits), B(0, 8 bits))
  }

  /** The columns c * alpha^i, i = 0 to 7, of the bit matrix that multiplies by c: d * c is the sum of the columns
    * at the ones of d.
    */
  def columns(c: Bits): Seq[Bits] = Seq.iterate(c, 8)(timesAlpha)

  /** Sum modulo 255 with the carry fed back; 0 and 255 both stand for zero. */
  def addLog(a: UInt, b: UInt): UInt = {
    val sum = a +^ b
    sum(7 downto 0) + sum.msb.asUInt
  }

  /** Negative modulo 255. */
  def negLog(a: UInt): UInt = ~a
}
