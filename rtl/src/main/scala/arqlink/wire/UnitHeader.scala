// SPDX-License-Identifier: Apache-2.0
package arqlink.wire

import spinal.core._

import arqlink.config.CodeConfig

/** A data unit's header after the deframer has checked it: version, type, CRC, 1 <= K <= maxK,
  * K <= N <= K + maxParity, index < N, pad < unitBytes, preset <= 2.
  */
case class UnitHeader(code: CodeConfig) extends Bundle {
  val epoch = UInt(Wire.epochBits bits)
  val tx = Transmission(code)
  val index = UInt(code.nBits bits)

  /** Where its payload waits; not on the wire. */
  val slot = UInt(Wire.slotBits bits)
}

/** A beat of the received data unit that is in `slot`. */
case class UnitBeat(code: CodeConfig) extends Bundle {
  val data = Bits(code.dataBits bits)
  val slot = UInt(Wire.slotBits bits)
}
