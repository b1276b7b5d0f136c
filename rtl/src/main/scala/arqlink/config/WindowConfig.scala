// SPDX-License-Identifier: Apache-2.0
package arqlink.config

import spinal.core._

/** Selective-repeat window.
  *
  * @param windowFrames   frames in flight or awaiting delivery, at either end: a power of two, 32 to 2^18
  * @param maxPacketBytes longest packet accepted, in bytes: 1 to 9216, and a beat (`dataBytes`) at least
  */
case class WindowConfig(windowFrames: Int, maxPacketBytes: Int = 9216) {
  require(
    isPow2(windowFrames) && windowFrames >= 32 && windowFrames <= (1 << 18),
    s"windowFrames is $windowFrames; it must be a power of two from 32 to 262144, a quarter of the sequence space"
  )
  require(maxPacketBytes >= 1 && maxPacketBytes <= 9216, s"maxPacketBytes is $maxPacketBytes; it must be 1 to 9216")
  def slotBits: Int = log2Up(windowFrames)

  /** Outcomes that the peer may still want are all among the recent ones that each control unit shows: at least the last 32. */
  def isBlock: Boolean = windowFrames <= 32
}
