// SPDX-License-Identifier: Apache-2.0
package arqlink.config

import spinal.core._

/** What is built for area instead of speed, each by itself. Interfaces, registers and units on the wire stay the same.
  *
  * @param counters few pending bits for each counter, visited in turn (`CompactCounterBank`); a snapshot is of one pass, not of one clock
  * @param codec    encoder and decoder that work on one frame at a time, with the coefficients of all erasure patterns in a table
  *                 (`CompactEncoder`, `CompactDecoder`): maxK + maxParity at most 8, units of four beats or more
  * @param deframer received units wait in one memory and leave byte by byte (`CompactDeframer`): dataBytes 1
  * @param relaxed  for a third of the clock rate: fewer registers between blocks and where registers are read, queues in block RAM, and a
  *                 control unit whose outcomes are being processed holds the next one up
  */
case class AreaConfig(counters: Boolean = false, codec: Boolean = false, deframer: Boolean = false, relaxed: Boolean = false)

object AreaConfig {
  val fast = AreaConfig()
  val small = AreaConfig(counters = true, codec = true, deframer = true, relaxed = true)
}

/** Erasure code build limits.
  *
  * @param dataBytes  width of every data stream, in bytes: 1, 2, 4, 8 or 16
  * @param unitBytes  payload of a unit, in bytes: two beats (2 · dataBytes) or more, a multiple of `dataBytes`, at most 4095 (12-bit pad field)
  * @param maxK       most data units in a frame: 1 to 128
  * @param maxParity  most parity units in a frame: 1 to 64; `maxK + maxParity` at most 255
  * @param area       blocks that are built small
  */
case class CodeConfig(dataBytes: Int, unitBytes: Int, maxK: Int, maxParity: Int, area: AreaConfig = AreaConfig.fast) {
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
  require(!area.codec || maxN <= 8, s"maxK ($maxK) + maxParity ($maxParity) is $maxN; the compact codec has tables for 8 units")
  require(!area.codec || unitBeats >= 4, s"unitBytes is $unitBytes; the compact codec needs units of four beats or more")
  require(!area.deframer || dataBytes == 1, s"dataBytes is $dataBytes; the compact deframer takes one byte a clock")

  def maxN: Int = maxK + maxParity
  def dataBits: Int = dataBytes * 8
  def unitBeats: Int = unitBytes / dataBytes

  /** Beats are so wide that blocks lie far apart: the longest ways between them have one more register. */
  def isWide: Boolean = dataBytes > 4

  /** Beats a frame's data units take in a frame store slot, rounded up to a power of two. */
  def slotBeats: Int = 1 << log2Up(maxK * unitBeats)

  def kBits: Int = log2Up(maxK + 1)
  def nBits: Int = log2Up(maxN + 1)

  /** Bits of the pad field that are kept; it is below unitBytes. */
  def padBits: Int = if (area.relaxed) log2Up(unitBytes) max 1 else 12
  def unitBeatBits: Int = log2Up(unitBeats)
  def slotBeatBits: Int = log2Up(slotBeats)
}
