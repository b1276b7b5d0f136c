// SPDX-License-Identifier: Apache-2.0
package arqlink.lib.queue

import spinal.core._
import spinal.lib._

import arqlink.lib.Tally

/** The way out of a block RAM that is read in some clocks, array and output register among them: reads are issued only while there is room for
  * all that are under way. So the memory needs no stall, and `pop.ready` goes no further than the queue's head.
  *
  * `room` and the queue suffice for a read a clock.
  *
  * @param latency two to four
  */
class ReadQueue[T <: Data](payload: HardType[T], latency: Int = 2) extends Component {
  val io = new Bundle {

    /** A read begins; only while `room`. */
    val issue = in Bool ()
    val room = out Bool ()

    /** What is read, `latency` clocks after `issue`. */
    val word = in(payload())
    val pop = master Stream payload()
  }
  private val depth = 8
  val queue = new CreditQueue(payload, depth)
  queue.io.push.valid := Delay(io.issue, latency, init = False)
  queue.io.push.payload := io.word
  queue.io.pop >> io.pop

  // Reads that may still be issued; what is given back counts a clock later, and is not added to a long path here.
  val returned = RegNext(io.pop.fire) init False
  val credit = new Tally(depth, depth, up = returned, down = io.issue)
  io.room := credit.some
}
