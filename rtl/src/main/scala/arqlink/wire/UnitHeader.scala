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
}
