// SPDX-License-Identifier: Apache-2.0
package arqlink.gf

import spinal.core._

/** Logic over GF(2^8) and over logarithms modulo 255. */
object GfLogic {

  /** Each byte of x times alpha: shift and reduce by 0x11D. Written over all bytes at once, as a few wide operations. */
  def timesAlpha(x: Bits): Bits = {
    require(x.getWidth % 8 == 0, s"field elements have 8 bits each, so not ${x.getWidth} together")
    def each(byte: Int): Bits = B(BigInt(Array.fill(x.getWidth / 8)(byte.toByte)).mod(BigInt(1) << x.getWidth), x.getWidth bits)
    val carries = (x |>> 7) & each(1)
    val reduction = (0 until 8).filter(i => (Gf256.polynomial >> i & 1) == 1).map(i => carries |<< i)
    ((x |<< 1) & each(0xfe)) ^ reduction.reduce(_ ^ _)
  }

  /** The columns c * alpha^i, i = 0 to 7, of the bit matrix that multiplies by c, for each byte of c: d * c is the sum
    * of the columns at the ones of d.
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
