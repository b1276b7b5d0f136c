// SPDX-License-Identifier: Apache-2.0
package arqlink.lib

/** Queues for what SpinalHDL's `StreamFifo` does not do well.
  *
  * All of them give items in the order in which they came, and none stalls its source: whoever pushes knows that there is room. A simulation stops
  * where that is not so. The latency is in clocks from the one with the order (`push`, `issue` or `take`) to the one with the item.
  *
  * | queue | memory | depth | latency | throughput | choose it where |
  * |---|---|---|---|---|---|
  * | `CreditQueue` | distributed RAM | `depth` + 1 | 2 from `push` | an item a clock | the source counts places by itself, and `pop.ready` comes late |
  * | `DeepQueue` | block RAM | `depth`; `room` falls `margin` pushes ahead | `some` 1 from `push`, the item `latency` from `take`, 3 or more | an item a clock | items are wide or many, and the time of their use is known ahead |
  * | `ReadQueue` | a `CreditQueue` behind the reader's own memory | 8 reads under way | `latency` + 2 from `issue` | a read a clock | a block RAM is read through its output register, and what is read may have to wait |
  * | `RetransmitQueue` | block RAM | `depth` | 3 from `push`, 4 from an item to the next | an item in 4 clocks | items are many, and read seldom |
  *
  * `StreamFifo` is the one to take everywhere else: where the source has to be stalled, where the depth is no power of two, and where neither the comparison
  * of its pointers nor the way of its `pop.ready` is among the longest.
  */
package object queue
