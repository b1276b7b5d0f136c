// SPDX-License-Identifier: Apache-2.0
package arqlink.link

import spinal.core._
import spinal.lib._

import arqlink._

/** Keeps a restart of what is behind it from cutting a packet in two: the rest of a packet that was partly taken when
  * `flush` came is discarded to its `tlast`. Stands before the segmenter and is not reset with it.
  *
  * While `flush` is high nothing is passed on.
  */
case class PacketDrain(dataBytes: Int) extends Component {
  val io = new Bundle {
    val flush = in(Bool())
    val input = slave(Stream(PacketBeat(dataBytes)))
    val output = master(Stream(PacketBeat(dataBytes)))
  }
  noIoPrefix()
  AxiNames.packet(io.input, "s_axis")
  AxiNames.packet(io.output, "m_axis")

  /** A beat of the packet has been taken and its last one has not. */
  val inside = RegInit(False)
  val dropping = RegInit(False)

  io.output.valid := io.input.valid && !dropping && !io.flush
  io.output.payload := io.input.payload
  io.input.ready := dropping || (io.output.ready && !io.flush)

  when(io.input.fire) { inside := !io.input.last }
  when(dropping) {
    dropping := !(io.input.fire && io.input.last)
  } otherwise {
    dropping := io.flush && inside
  }
}
