// SPDX-License-Identifier: Apache-2.0
package arqlink.store

import spinal.core._

import arqlink.config.LinkConfig
import arqlink.wire.FrameMeta

/** What the sender keeps about the frame in `slot`. */
case class SlotMeta(link: LinkConfig) extends Bundle {
  val slot = UInt(link.window.slotBits bits)
  val meta = FrameMeta(link.code)
}
