// SPDX-License-Identifier: Apache-2.0
package arqlink.lib.queue

import spinal.core._
import spinal.lib._

import arqlink.lib.{BlockRam, Kept, Tally}

/** A queue in block RAM, with the register behind it that makes block RAM fast. An item is given `latency` clocks after the order to take
  * it, so that nothing stalls; otherwise zero.
  *
  * @param margin  pushes that may still come when `room` has gone low
  * @param latency three clocks or more
  */
class DeepQueue(width: Int, depth: Int, margin: Int, latency: Int) extends Component {
  require(isPow2(depth) && depth > margin, s"depth is $depth; it must be a power of two above the margin ($margin)")
  require(latency >= 3, s"latency is $latency; block RAM and two registers take three clocks")
  val io = new Bundle {
    val push = slave(Flow(Bits(width bits)))
    val room = out Bool ()

    /** There is an item; take it. */
    val some = out Bool ()
    val take = in Bool ()
    val item = out Bits (width bits)
  }
  val addressBits = log2Up(depth)
  val store = BlockRam(Bits(width bits), depth)
  val writeAt, readAt = Reg(UInt(addressBits bits)) init 0
  store.write(writeAt, io.push.payload, io.push.valid)
  when(io.push.valid)(writeAt := writeAt + 1)

  val read = Delay(io.take, latency - 3, init = False)
  val held = new Tally(0, depth, up = io.push.valid, down = io.take)
  val places = new Tally(depth - margin, depth, up = read, down = io.push.valid)
  io.some := held.some
  io.room := places.some

  when(read)(readAt := readAt + 1)
  val fetched = RegNext(read) init False
  val word = RegNextWhen(store.readSync(readAt, enable = read), fetched)
  // Nothing given is a zero: the flip-flops' reset makes it without a gate. A copy for each byte keeps fan-out small.
  io.item := Cat(for ((part, i) <- word.subdivideIn(8 bits, strict = false).zipWithIndex) yield {
    val given = Kept(RegNext(fetched) init False, s"given_$i")
    val item = RegNext(part).setName(s"item_$i")
    when(!given)(item := 0)
    item
  })
}
