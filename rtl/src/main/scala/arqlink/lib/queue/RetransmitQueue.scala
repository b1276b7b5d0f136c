// SPDX-License-Identifier: Apache-2.0
package arqlink.lib.queue

import spinal.core._
import spinal.lib._

import arqlink.lib.{BlockRam, Invariant}

/** A queue in block RAM for what is read seldom: `pop` is valid again four clocks after it fired, and three after a push into
  * the empty queue. The RAM is read in two clocks, without an enable, so that its output register can be used.
  *
  * @param depth a power of two; the user never pushes more
  */
class RetransmitQueue[T <: Data](payload: HardType[T], depth: Int) extends Component {
  require(isPow2(depth), s"depth is $depth; it must be a power of two")
  private val bits = log2Up(depth)
  val io = new Bundle {
    val push = slave Flow payload()
    val pop = master Stream payload()

    /** Something is in it, or on its way out. */
    val busy = out Bool ()
  }
  val ram = BlockRam(payload(), depth) // `pop` is not valid before the word has been read once more

  val head, tail = Reg(UInt(bits + 1 bits)) init 0
  ram.write(tail.resize(bits), io.push.payload, io.push.valid)
  when(io.push.valid)(tail := tail + 1)
  when(io.pop.fire)(head := head + 1)

  Invariant.when(io.push.valid)(tail - head =/= depth, "a frame is queued, and the queue is full")

  val some = head =/= tail
  val filled = RegNext(some) init False

  /** `filled` says the truth about this `head`, and the data have come. */
  private val settles = History(!io.pop.fire, 0 to 2, init = False).reduce(_ && _)
  val settled = RegNext(settles) init False
  io.pop.valid := RegNext(some && filled && settles) init False
  io.pop.payload := RegNext(ram.readSync(head.resize(bits)))
  io.busy := filled || !settled || some
}
