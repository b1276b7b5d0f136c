// SPDX-License-Identifier: Apache-2.0
package arqlink.packet

import spinal.core._
import spinal.lib._

import arqlink.axi.{AxiNames, PacketBeat}
import arqlink.lib.Invariant

/** Keeps a restart of what is behind it from cutting a packet in two: the rest of a packet that was partly accepted when
  * `flush` came is discarded to its `tlast`. It sits before the segmenter and is not reset with it.
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

  /** A beat of the packet has been accepted and its last one has not. From registers, as `ready` is late. */
  val inside = Bool()
  inside := RegNext(io.input.fire, init = False) ? !RegNext(io.input.last) | RegNext(inside, init = False)
  val dropping = RegInit(False)
  Invariant.when(dropping)(inside, "a packet is dropped of which nothing has been passed on")

  io.output.valid := io.input.valid && !dropping && !io.flush
  io.output.payload := io.input.payload
  io.input.ready := dropping || (io.output.ready && !io.flush)

  when(dropping) {
    dropping := !(io.input.valid && io.input.last) // always ready then
  } otherwise {
    dropping := io.flush && inside
  }
}
