// SPDX-License-Identifier: Apache-2.0
package arqlink.lib.queue

import spinal.core._
import spinal.lib._

import arqlink.lib.Tally

/** A queue in distributed RAM whose source never pushes more than fits, as it counts places by itself.
  *
  * Its head is in a register, so two clocks lie between push and pop, and `depth` + 1 items fit. Whether it is empty is kept in a sign
  * bit: nothing is compared.
  */
class CreditQueue[T <: Data](payloadType: HardType[T], depth: Int) extends Component {
  require(isPow2(depth), s"depth is $depth; it must be a power of two")
  val io = new Bundle {
    val push = slave(Flow(payloadType()))
    val pop = master(Stream(payloadType()))
  }
  val addressBits = log2Up(depth)
  val writeAt, readAt = Reg(UInt(addressBits bits)) init 0
  val store = Mem(payloadType(), depth)
  store.write(writeAt, io.push.payload, io.push.valid)
  when(io.push.valid)(writeAt := writeAt + 1)

  val full = RegInit(False)
  val head = Reg(payloadType())
  val fetch = Bool()
  val held = new Tally(0, depth, up = io.push.valid, down = fetch)
  fetch := held.some && (!full || io.pop.ready)
  when(fetch) {
    readAt := readAt + 1
    head := store.readAsync(readAt, writeFirst)
  }
  when(io.pop.ready || !full)(full := fetch)
  io.pop.valid := full
  io.pop.payload := head
}
