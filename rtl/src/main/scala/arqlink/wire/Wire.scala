// SPDX-License-Identifier: Apache-2.0
package arqlink.wire

import spinal.core._

/** Widths that the wire format fixes for every build (docs/architecture.md, "Wire format"). */
object Wire {
  val version = 3
  val snBits = 20
  val epochBits = 8
  val padBits = 12
  val attemptBits = 4
  val linkBits = 2
  val headerBytes = 12
  val crcBytes = 4
  val controlBytes = 16
  val bitmapBits = 64
  val blockBits = 32

  /** Of a unit; the other three types are those of data units, and [[Transmission]] has their bits. */
  val typeControl = 1
  def sn: UInt = UInt(snBits bits)
}
