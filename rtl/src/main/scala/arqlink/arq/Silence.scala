// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink.lib.Countdown

/** Whether both ends hear each other.
  *
  * @param heard      pulse: something valid came
  * @param phyUp      low: the PHY has lost its carrier
  * @param isUp       the link is up, or in an outage
  * @param peerSpeaks pulse: a control unit of the peer says whether it is deaf: `peerIsDeaf`
  */
class Silence(timers: TimerSetting, heard: Bool, phyUp: Bool, isUp: Bool, peerSpeaks: Bool, peerIsDeaf: Bool) extends Area {
  private val timeout = timers.outageTimeout
  private val never = RegNext(!timeout.subdivideIn(2 slices).map(half => RegNext(half.orR)).orR) init True
  private val hearing = RegNext(heard || !isUp || never) init True

  /** A value that is written counts at once, but ends no silence that has lasted OUTAGE_TIMEOUT. */
  private val ended = Bool()
  private val timer = new Countdown(timeout, hearing || timers.written && !ended, True)
  ended := timer.expired

  /** This end hears nothing. */
  val deaf = RegNext(ended && !hearing || !phyUp) init True

  /** The peer says that it does not. */
  private val peerDeaf = RegInit(False)
  when(peerSpeaks)(peerDeaf := peerIsDeaf)
  when(!isUp)(peerDeaf := False)

  /** One of the ends is deaf. */
  val lost = RegNext(deaf || peerDeaf) init True
}
