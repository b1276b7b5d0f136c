// SPDX-License-Identifier: Apache-2.0
package arqlink.lib

import spinal.core._

/** Zeroes a table after reset, one entry a clock; `done` when it may be used. */
class TableClear(addressBits: Int) extends Area {
  private val count = Reg(UInt(addressBits + 1 bits)) init 0
  val done = count.msb
  val address = count.resize(addressBits)
  when(!done)(count := count + 1)
}
