// SPDX-License-Identifier: Apache-2.0
package arqlink.csr

import spinal.core._

/** One increment per counter, under its name. */
case class CounterEvents(counters: Seq[Counter] = Counters.all) extends Bundle {
  for (counter <- counters) valCallbackRec(UInt(counter.increment bits), counter.name)

  def apply(name: String): UInt = elements
    .find(_._1 == name)
    .getOrElse(throw new IllegalArgumentException(s"no counter named '$name'"))
    ._2
    .asInstanceOf[UInt]

  /** Adds one to counter `name` in each clock with `event`. */
  def count(name: String, event: Bool): Unit = apply(name) := event.asUInt.resized

  /** Adds `amount` to counter `name`; a wider amount than the counter's increment is refused. */
  def add(name: String, amount: UInt): Unit = {
    val port = apply(name)
    require(
      amount.getWidth <= port.getWidth,
      s"counter $name takes increments of ${port.getWidth} bits, not of ${amount.getWidth}"
    )
    port := amount.resized
  }
}
