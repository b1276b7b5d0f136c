// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._

object Counting {

  /** One more or one less than x, with one carry chain. */
  def step(x: SInt, up: Bool): SInt = x + (B(x.getWidth - 1 bits, default -> !up) ## True).asSInt
}
