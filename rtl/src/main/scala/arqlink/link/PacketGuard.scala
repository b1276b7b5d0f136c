// SPDX-License-Identifier: Apache-2.0
package arqlink.link

import spinal.core._
import spinal.lib._

/** Holds packets back while the link is flushed, and swallows the rest of a packet that a flush has cut. */
class PacketGuard(dataBytes: Int) extends Component {
  val io = new Bundle {
    val input = slave Stream PacketBeat(dataBytes)
    val flush = in Bool ()
    val output = master Stream PacketBeat(dataBytes)
  }
  val inPacket, swallow = RegInit(False)
  when(io.input.fire)(inPacket := !io.input.last)
  when(io.flush && inPacket && !(io.input.fire && io.input.last))(swallow := True)
  when(swallow && io.input.fire && io.input.last)(swallow := False)

  io.output.valid := io.input.valid && !swallow && !io.flush
  io.output.payload := io.input.payload
  io.input.ready := swallow || (io.output.ready && !io.flush)
}
