// SPDX-License-Identifier: Apache-2.0
package arqlink.lib

import spinal.core._

/** A timer: `expired` is high from `interval` + 2 clocks with `run` after the last `reload` on. It takes `interval` at a reload, for which a
  * write to a timer's register counts, or a long interval that was set by mistake would have to end first.
  *
  * Two halves with a register for the borrow between them, and a sign bit in place of a comparison with 0, keep the carries short.
  *
  * @param interval in clocks, 32 bits
  */
class Countdown(interval: UInt, reload: Bool, run: Bool) extends Area {
  private val half = 16
  private val low, high = Reg(UInt(half + 1 bits)) init 0
  val expired = high.msb

  when(reload) {
    low := interval(half - 1 downto 0).resized
    high := interval.dropLow(half).asUInt.resized
  } elsewhen (run && !expired) {
    low := low.resize(half).resize(half + 1) - 1
    high := high - low.msb.asUInt
  }
}
