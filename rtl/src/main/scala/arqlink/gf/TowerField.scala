// SPDX-License-Identifier: Apache-2.0
package arqlink.gf

/** GF(2^8) over GF(2^4), for products that cost few gates.
  *
  * An element is c0 + c1 y with c0, c1 in GF(2^4) = GF(2)[g] / (g^4 + g + 1); its tower byte holds the bits of c0 in 3:0 and of c1 in 7:4.
  * By Karatsuba's rule
  *
  * c d = P0 (1 + y) + P1 (y + y^2) + P2 y,   P0 = c0 d0,  P1 = c1 d1,  P2 = (c0 + c1)(d0 + d1),
  *
  * so three products of four bits each do for one of eight bits, and sums of products may be kept as sums of P0, P1 and P2.
  *
  * All bytes named `byte` are in the usual basis (powers of alpha modulo 0x11D).
  */
object TowerField {

  /** g and y, the choice of all that needs the fewest XOR gates into and out of this form: no bit of a data byte's form depends on more
    * than four bits, no bit of a result on more than six.
    */
  private val g = 152
  private val y = 166
  private val powers = Vector.iterate(1, 4)(Gf256.mul(_, g))
  require(Gf256.mul(powers(3), g) == (g ^ 1), "g is not a root of g^4 + g + 1")

  private def combine(bits: Int, basis: Seq[Int]): Int =
    basis.zipWithIndex.collect { case (element, i) if (bits >> i & 1) == 1 => element }.foldLeft(0)(_ ^ _)

  private def byteOf(tower: Int): Int = combine(tower, powers ++ powers.map(Gf256.mul(_, y)))

  private val towerOf: Map[Int, Int] = (0 until 256).map(t => byteOf(t) -> t).toMap
  require(towerOf.size == 256, "1, y are not a basis over GF(2^4)")

  /** Tower byte of an element. */
  def tower(byte: Int): Int = towerOf(byte)

  /** Operands of the three products, four bits each: first, second, their sum. */
  def operands(tower: Int): Seq[Int] = Seq(tower & 15, tower >> 4, (tower & 15) ^ (tower >> 4))

  /** The twelve bits of a data byte's operands (P0's in 3:0), by the bit of the byte: the form of a byte is the sum over its ones. */
  val dataColumns: Seq[Int] = (0 until 8).map { i =>
    operands(tower(1 << i)).zipWithIndex.map { case (operand, p) => operand << (4 * p) }.sum
  }

  /** The byte that each of the twelve bits of P0, P1, P2 contributes to the result. */
  val resultColumns: Seq[Int] =
    for (factor <- Seq(1 ^ y, y ^ Gf256.mul(y, y), y); power <- powers) yield Gf256.mul(factor, power)

  /** Times g in GF(2^4). */
  def timesG(x: Int): Int = ((x << 1) & 15) ^ (if ((x & 8) != 0) 3 else 0)

  // Every product of the field, as the hardware forms it.
  for (c <- 0 until 256; d <- 0 until 256) {
    val form = combine(d, dataColumns)
    val products = for ((operand, p) <- operands(tower(c)).zipWithIndex) yield {
      val columns = Seq.iterate(operand, 4)(timesG)
      combine(form >> (4 * p) & 15, columns) << (4 * p)
    }
    require(combine(products.sum, resultColumns) == Gf256.mul(c, d), s"the tower field gives a wrong product of $c and $d")
  }
}
