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

  /** A block whose reset is the current one, a clock later. */
  def late[T](block: => T): T = by(RegNext(ClockDomain.current.isResetActive).setWeakName("blockReset"))(block)
}
