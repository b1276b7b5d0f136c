// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink.config.LinkConfig
import arqlink.wire.Wire

/** Lags, in blocks of outcomes, after which the receiver reports a pair of blocks again (docs/architecture.md, "Receiver", 4). Both ends know them:
  * they follow from the smaller one of their windows.
  *
  * @param peerWindowLog2 the peer's window; at rest while the link is up
  */
class RepeatLags(link: LinkConfig, peerWindowLog2: UInt) extends Area {
  private val own = link.window.slotBits
  private val smaller = RegNext((peerWindowLog2 < own) ? peerWindowLog2 | U(own, 5 bits))
  private def table[T <: Data](value: Int => T) = RegNext(Vec((0 until 32).map(log2 => value(log2 min own)))(smaller))

  /** Of the second report; 0: there is none. */
  val second = table(log2 => U(RepeatLags.second(log2), 6 bits))

  /** Of the third one, in windows for which it is built. */
  val hasThird = table(log2 => Bool(RepeatLags.hasThird(log2)))
  val third = second +^ RepeatLags.thirdAfter

  /** Of the one between the second and the third. */
  val hasBetween = RepeatLags.hasBetween(own) generate table(log2 => Bool(RepeatLags.hasBetween(log2)))
  val between = RepeatLags.hasBetween(own) generate second +^ RepeatLags.betweenAfter

  /** The peer repeats outcomes up to this age unasked, and no older ones. */
  val repeated = table(log2 => U(RepeatLags.repeated(log2), RepeatLags.repeatedBits bits))
}

object RepeatLags {

  /** An eighth of the blocks in a window of 2^log2 frames: past most bursts of losses, and long before the window is exhausted. */
  def second(log2: Int): Int = if (log2 < 8) 0 else 1 << (log2 - 8 min 5)

  /** Where a round trip is long, what a poll costs is worth a third report. */
  def hasThird(log2: Int): Boolean = log2 >= 13
  val thirdAfter = 64

  /** A frame that was lost needs two round trips, and this window holds little more: where all reports of one outcome are lost, the link stands still for
    * most of another one. So it is reported once more.
    */
  def hasBetween(log2: Int): Boolean = log2 >= 15
  val betweenAfter = 32

  def repeated(log2: Int): Int = if (second(log2) == 0) 0 else Wire.blockBits * (4 + second(log2) + (if (hasThird(log2)) thirdAfter else 0))
  val repeatedBits = log2Up(repeated(18) + 1)
}
