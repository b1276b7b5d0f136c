// SPDX-License-Identifier: Apache-2.0
package arqlink.lib

import spinal.core._

/** What a block relies on, or holds, in every clock outside of its reset, whatever comes from the air. Where it does not hold, a simulation stops with
  * the block's name and the sentence. Synthesis leaves it out.
  */
object Invariant {
  def apply(holds: Bool, sentence: String): Unit = {
    val domain = ClockDomain.current
    val counts = if (domain.hasResetSignal) holds || domain.isResetActive else holds
    assert(counts, s"${Component.current.getClass.getSimpleName}: $sentence", FAILURE)
  }

  /** `x` is `most` or less; SpinalHDL refuses to compare what is too narrow for more. */
  def atMost(x: UInt, most: BigInt): Bool = if (x.maxValue <= most) True else x <= most

  /** `edge`, which begins at `first`, moves up only, modulo its width. */
  def onward(edge: UInt, name: String, first: BigInt): Unit = apply(!SeqNum.isBelow(edge, RegNext(edge).init(first)), s"$name goes back")

  /** `holds` in clocks with `condition`. */
  def when(condition: Bool)(holds: Bool, sentence: String): Unit = apply(!condition || holds, sentence)
}
