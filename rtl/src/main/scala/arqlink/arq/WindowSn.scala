// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._

import arqlink.config.LinkConfig

/** Sequence numbers that are at most a window apart: one bit more than a slot's number distinguishes them. */
object WindowSn {
  def apply(link: LinkConfig): UInt = UInt(link.window.slotBits + 1 bits)
  def first(link: LinkConfig): BigInt = link.firstSn(link.window.slotBits + 1)
  def of(link: LinkConfig, sn: UInt): UInt = sn.resize(link.window.slotBits + 1)
}
