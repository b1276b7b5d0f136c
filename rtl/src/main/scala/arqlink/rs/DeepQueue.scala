// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

/** A queue in block RAM, with the register behind it that makes block RAM fast. Four clocks lie between push and pop.
  *
  * @param margin pushes that may still come when `room` has gone low
  */
class DeepQueue[T <: Data](payloadType: HardType[T], depth: Int, margin: Int) extends Component {
  require(isPow2(depth) && depth > margin, s"depth is $depth; it must be a power of two above the margin ($margin)")
  val io = new Bundle {
    val push = slave(Flow(payloadType()))
    val room = out Bool ()
    val pop = master(Stream(payloadType()))
  }
  val addressBits = log2Up(depth)
  val store = Mem(payloadType(), depth)
  store.addAttribute("no_rw_check")
  store.addAttribute("ram_style", "block")
  val writeAt = Reg(UInt(addressBits bits)) init 0
  store.write(writeAt, io.push.payload, io.push.valid)
  when(io.push.valid)(writeAt := writeAt + 1)

  // Items in the memory less one; places left less the margin less one.
  val held = Reg(SInt(addressBits + 1 bits)) init -1
  val places = Reg(SInt(addressBits + 2 bits)) init (depth - margin - 1)
  io.room := !places.msb
  val read = Stream(UInt(addressBits bits))
  val readAt = Reg(UInt(addressBits bits)) init 0
  read.valid := !held.msb
  read.payload := readAt
  when(read.fire)(readAt := readAt + 1)
  when(io.push.valid =/= read.fire) {
    held := io.push.valid ? (held + 1) | (held - 1)
    places := io.push.valid ? (places - 1) | (places + 1)
  }
  val fetched = read.m2sPipe()
  val word = store.readSync(readAt, enable = read.ready)
  io.pop << fetched.translateWith(word).m2sPipe()
}
