// SPDX-License-Identifier: Apache-2.0
package arqlink.lib

import spinal.core._
import spinal.lib._

/** Marsaglia's xorshift128 (Journal of Statistical Software 8(14), 2003): 32 fresh bits a step, period 2^128 - 1.
  *
  * @param words       steps per advance, so independent 32-bit words to be had at once: 1 to 4
  * @param initialSeed seed after reset, 32 bits
  */
class Xorshift128(words: Int, initialSeed: BigInt) extends Component {
  require(words >= 1 && words <= 4, s"words is $words; the state holds 1 to 4 words")

  val io = new Bundle {
    val seed = slave(Flow(Bits(32 bits)))

    /** Advances; the new words are there in the next clock. */
    val next = in Bool ()

    /** Low while a seed is spread over the state; `words` may not be used then. */
    val ready = out Bool ()
    val words = out(Vec(Bits(32 bits), Xorshift128.this.words))
  }

  private val warmUp = 16

  // The last word is never zero, so neither is the state.
  private def spread(seed: Bits): Seq[Bits] = Seq(
    seed,
    seed.rotateLeft(8) ^ B(0x159a55e5L, 32 bits),
    seed.rotateLeft(20) ^ B(0x1f123bb5L, 32 bits),
    B(0x05491333L, 32 bits)
  )

  private def step(s: Seq[Bits]): Seq[Bits] = {
    val t = s(0) ^ (s(0) |<< 11)
    Seq(s(1), s(2), s(3), s(3) ^ (s(3) |>> 19) ^ t ^ (t |>> 8))
  }

  private val state = spread(B(initialSeed, 32 bits)).map(RegInit(_))
  private val remaining = RegInit(U(warmUp, log2Up(warmUp + 1) bits))
  io.ready := remaining === 0

  when(io.seed.valid) {
    state.zip(spread(io.seed.payload)).foreach { case (s, value) => s := value }
    remaining := warmUp
  } elsewhen (io.next || !io.ready) {
    val advanced = (0 until words).foldLeft(state: Seq[Bits])((s, _) => step(s))
    state.zip(advanced).foreach { case (s, value) => s := value }
    when(!io.ready)(remaining := remaining - 1)
  }
  Invariant.when(io.next)(state.map(_.orR).reduce(_ || _), "the state is zero, and stays so for ever")
  io.words.zip(state.takeRight(words)).foreach { case (word, s) => word := s }
}
