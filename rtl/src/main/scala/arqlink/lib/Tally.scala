// SPDX-License-Identifier: Apache-2.0
package arqlink.lib

import spinal.core._

/** A number of things, one more or one less a clock. It is kept less one, so that its sign says whether there are `some`, and nothing is
  * compared; a single carry chain steps it.
  *
  * `up` should come from few levels of logic, as it decides the sum as well. `down` may come from a register, a clock late; then start with one less.
  *
  * @param most of them there can be
  */
class Tally(start: Int, most: Int, up: Bool, down: Bool) extends Area {
  private val bits = log2Up(most)
  private val lessOne = Reg(SInt(bits + 1 bits)) init (start - 1)
  when(up =/= down)(lessOne := lessOne + (B(bits bits, default -> !up) ## True).asSInt)

  Invariant.when(up && !down)(lessOne =/= most - 1, s"more than $most are counted")

  val some: Bool = !lessOne.msb
}
