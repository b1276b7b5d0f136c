// SPDX-License-Identifier: Apache-2.0
package arqlink.axi

import spinal.core._
import spinal.lib._

/** Gives stream ports the names that AXI4-Stream users expect. */
object AxiNames {
  private def handshake(s: Stream[_ <: Data], prefix: String): Unit = {
    s.valid.setName(s"${prefix}_tvalid")
    s.ready.setName(s"${prefix}_tready")
  }

  def packet(s: Stream[PacketBeat], prefix: String): Unit = {
    handshake(s, prefix)
    s.payload.data.setName(s"${prefix}_tdata")
    s.payload.keep.setName(s"${prefix}_tkeep")
    s.payload.last.setName(s"${prefix}_tlast")
    s.payload.error.setName(s"${prefix}_tuser")
  }

  def phy(s: Stream[PhyBeat], prefix: String): Unit = {
    handshake(s, prefix)
    s.payload.data.setName(s"${prefix}_tdata")
    s.payload.last.setName(s"${prefix}_tlast")
    s.payload.erased.setName(s"${prefix}_tuser")
  }

  def units(s: Stream[Fragment[Bits]], prefix: String): Unit = {
    handshake(s, prefix)
    s.payload.fragment.setName(s"${prefix}_tdata")
    s.payload.last.setName(s"${prefix}_tlast")
  }

  /** A PHY stream that is only looked at: no `tready`. */
  def phy(s: Flow[PhyBeat], prefix: String): Unit = {
    s.valid.setName(s"${prefix}_tvalid")
    s.payload.data.setName(s"${prefix}_tdata")
    s.payload.last.setName(s"${prefix}_tlast")
    s.payload.erased.setName(s"${prefix}_tuser")
  }

  /** Bytes to a line without packet boundaries. */
  def line(s: Stream[Bits], prefix: String): Unit = {
    handshake(s, prefix)
    s.payload.setName(s"${prefix}_tdata")
  }

  /** Bytes from it: no `tready`. */
  def line(s: Flow[LineByte], prefix: String): Unit = {
    s.valid.setName(s"${prefix}_tvalid")
    s.payload.data.setName(s"${prefix}_tdata")
    s.payload.erased.setName(s"${prefix}_tuser")
  }
}
