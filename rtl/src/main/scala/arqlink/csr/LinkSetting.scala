// SPDX-License-Identifier: Apache-2.0
package arqlink.csr

import spinal.core._

import arqlink.arq.TimerSetting
import arqlink.config.CodeConfig
import arqlink.wire.Wire

/** The setting that a frame is begun with. All of it changes in one clock, and is always valid:
  * 1 <= k <= maxK, k <= n <= k + maxParity for both n, preset <= 2.
  *
  * `delta`: persistency, 15 = infinite. `inOrder`: packets leave in sequence.
  * `outageFreeze`: failures of an outage do not count towards delta.
  */
case class ActiveSetting(code: CodeConfig) extends Bundle {
  val k = UInt(code.kBits bits)
  val nFirst = UInt(code.nBits bits)
  val nRetx = UInt(code.nBits bits)
  val preset = UInt(2 bits)
  val delta = UInt(4 bits)
  val inOrder = Bool()
  val outageFreeze = Bool()
}

/** All that the registers set; the timers change by themselves, one by one. */
case class LinkSetting(code: CodeConfig) extends Bundle {

  /** Number of the link on a PHY that several share. */
  val link = UInt(Wire.linkBits bits)
  val active = ActiveSetting(code)
  val timers = TimerSetting()
}

/** `restart` is a pulse of one clock. */
case class LinkCommand() extends Bundle {
  val enable = Bool()
  val restart = Bool()
}
