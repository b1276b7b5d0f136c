// SPDX-License-Identifier: Apache-2.0
package arqlink.config

import spinal.core._

/** Erasure code build limits.
  *
  * @param dataBytes  width of every data stream, in bytes: 1, 2, 4, 8, or for a codec alone 16
  * @param unitBytes  payload of a unit, in bytes: two beats (2 · dataBytes) or more, a multiple of `dataBytes`, at most 4095 (12-bit pad field)
  * @param maxK       most data units in a frame: 1 to 128
  * @param maxParity  most parity units in a frame: 1 to 64; `maxK + maxParity` at most 255
  */
case class CodeConfig(dataBytes: Int, unitBytes: Int, maxK: Int, maxParity: Int) {
  require(Set(1, 2, 4, 8, 16)(dataBytes), s"dataBytes is $dataBytes; it must be 1, 2, 4, 8 or 16")
  require(
    unitBytes <= 4095 && unitBytes % dataBytes == 0,
    s"unitBytes is $unitBytes; it must be a multiple of dataBytes ($dataBytes), at most 4095"
  )
  require(
    unitBeats >= 2,
    s"unitBytes is $unitBytes and dataBytes is $dataBytes; a unit must have two beats or more, so unitBytes must be ${2 * dataBytes} or more"
  )
  require(maxK >= 1 && maxK <= 128, s"maxK is $maxK; it must be 1 to 128")
  require(maxParity >= 1 && maxParity <= 64, s"maxParity is $maxParity; it must be 1 to 64")
  require(maxN <= 255, s"maxK ($maxK) + maxParity ($maxParity) is $maxN; GF(2^8) has room for 255 units")

  def maxN: Int = maxK + maxParity
  def dataBits: Int = dataBytes * 8
  def unitBeats: Int = unitBytes / dataBytes

  /** Beats are so wide that blocks lie far apart: the longest ways between them have one more register. */
  def isWide: Boolean = dataBytes > 4

  /** Beats a frame's data units take in a frame store slot, rounded up to a power of two. */
  def slotBeats: Int = 1 << log2Up(maxK * unitBeats)

  def kBits: Int = log2Up(maxK + 1)
  def nBits: Int = log2Up(maxN + 1)
  def unitBeatBits: Int = log2Up(unitBeats)
  def slotBeatBits: Int = log2Up(slotBeats)
}
