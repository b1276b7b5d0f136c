// SPDX-License-Identifier: Apache-2.0
package arqlink.wire

import spinal.core._

import arqlink.config.CodeConfig

/** What the sender stores about a frame: `k` data units, of which the last `pad` bytes (0 to unitBytes - 1) are
  * filling; `sop`/`eop`: first/last frame of its packet.
  */
case class FrameMeta(code: CodeConfig) extends Bundle {
  val k = UInt(code.kBits bits)
  val pad = UInt(Wire.padBits bits)
  val sop = Bool()
  val eop = Bool()
}

/** One transmission of a frame; what its N units carry in their headers but for the unit index. */
case class Transmission(code: CodeConfig) extends Bundle {
  val meta = FrameMeta(code)
  val n = UInt(code.nBits bits)
  val preset = UInt(2 bits)

  /** Its attempt is odd: so a transmission that counts can be told from one that an outage has forgiven. */
  val odd = Bool()

  /** The frame has been sent before; not on the wire. */
  val again = Bool()

  /** A last try that is announced, by type 2 or 3: the receiver need not wait for the sender to give the frame up. */
  val lastTry = Bool()

  /** Type 3: it is the frame's first transmission, and every incomplete frame below is abandoned. */
  val allBelow = Bool()
  val fsn = Wire.sn
  val tsn = Wire.sn
}
