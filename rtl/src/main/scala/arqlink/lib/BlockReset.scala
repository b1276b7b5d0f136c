// SPDX-License-Identifier: Apache-2.0
package arqlink.lib

import spinal.core._

/** Gives blocks registers for their resets: a single net to all that is reset would be slower than any logic. */
object BlockReset {

  /** A block whose reset is `reset`, active high, which must be a register. */
  def by[T](reset: Bool)(block: => T): T = {
    val domain = ClockDomain.current
    reset.addAttribute("keep")
    domain.copy(reset = reset, config = domain.config.copy(resetActiveLevel = HIGH))(block)
  }

  /** A register without a reset that is high from power-up on, so that no block runs before its reset. */
  def following(next: Bool): Bool = {
    val domain = ClockDomain.current
    val fromPowerUp = domain.copy(reset = null, config = domain.config.copy(resetKind = BOOT))
    fromPowerUp(RegNext(next) init True)
  }

  /** A block whose reset is the current one, two clocks later: one register on the way, for all blocks, and one of the block's own. */
  def late[T](block: => T): T = by(following(following(ClockDomain.current.isResetActive)).setWeakName("blockReset"))(block)
}
