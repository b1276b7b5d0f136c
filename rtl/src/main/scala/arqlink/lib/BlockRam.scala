// SPDX-License-Identifier: Apache-2.0
package arqlink.lib

import spinal.core._

/** A memory in block RAM. Its user must not depend on a read in the clock of a write to the same address: what that gives differs between devices. */
object BlockRam {
  def apply[T <: Data](word: HardType[T], words: BigInt): Mem[T] =
    Mem(word, words).addAttribute("no_rw_check").addAttribute("ram_style", "block")
}
