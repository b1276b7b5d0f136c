// SPDX-License-Identifier: Apache-2.0
package arqlink.axi

import spinal.core._

/** AXI4-Stream beat of a packet stream: `keep` is contiguous from byte 0 and full but in the last beat;
  * `error` (tuser) in the last beat marks the packet as aborted.
  */
case class PacketBeat(dataBytes: Int) extends Bundle {
  val data = Bits(dataBytes * 8 bits)
  val keep = Bits(dataBytes bits)
  val last = Bool()
  val error = Bool()
}

/** AXI4-Stream beat on the PHY side: one unit per `last`; `erased` (tuser) in any beat marks the unit as lost. */
case class PhyBeat(dataBytes: Int) extends Bundle {
  val data = Bits(dataBytes * 8 bits)
  val last = Bool()
  val erased = Bool()
}

/** A byte from a line without packet boundaries; `erased` (tuser): the line knows that it is wrong. */
case class LineByte() extends Bundle {
  val data = Bits(8 bits)
  val erased = Bool()
}
