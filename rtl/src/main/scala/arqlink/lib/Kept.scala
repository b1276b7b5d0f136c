// SPDX-License-Identifier: Apache-2.0
package arqlink.lib

import spinal.core._

/** Marks a register that stays one of several equal ones, each near what it drives; synthesis would make one of them. */
object Kept {
  def apply[T <: Data](register: T, name: String): T = register.setName(name).addAttribute("keep")
}
