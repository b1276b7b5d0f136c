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

  /** A block whose reset is the current one, two clocks later: one register on the way, for all blocks, and one of the block's own. Both are active
    * from power-up on, so that no block runs before its reset.
    */
  def late[T](block: => T): T = {
    val domain = ClockDomain.current
    val isActive = domain.isResetActive
    val fromPowerUp = domain.copy(reset = null, config = domain.config.copy(resetKind = BOOT))
    by(fromPowerUp(RegNext(RegNext(isActive) init True) init True).setWeakName("blockReset"))(block)
  }
}
