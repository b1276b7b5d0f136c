// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._

import arqlink.config.{CodeConfig, LinkConfig}
import arqlink.wire.{FrameMeta, Wire}

/** What the receiver keeps about a complete frame until it is delivered; `received` marks the K units in the store. */
case class ReceivedFrame(code: CodeConfig) extends Bundle {
  val meta = FrameMeta(code)
  val preset = UInt(2 bits)
  val received = Bits(code.maxN bits)
}

/** A frame has become complete; or `dead`: its last try has failed, so it never will. */
case class Completion(link: LinkConfig) extends Bundle {
  val fsn = Wire.sn
  val dead = Bool()
  val frame = ReceivedFrame(link.code)
}
