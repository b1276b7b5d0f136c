// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink.config.LinkConfig
import arqlink.lib.{Countdown, Invariant}
import arqlink.wire.Wire

/** Decides when the peer is polled (docs/link_control.md).
  *
  * When POLL_TIMEOUT runs out: if there was no progress, if the peer has yet to confirm that a frame was abandoned, if all that
  * it sent was rejected, or if it is not up yet. At once: when this end comes up first.
  */
class PollSchedule(link: LinkConfig) extends Component {
  val io = new Bundle {
    val timers = in(TimerSetting())
    val link = in(LinkView())
    val sender = in(SenderView())

    /** The peer's control units of this period were all rejected. */
    val suspicious = in Bool ()

    /** Pulse: a poll is due. */
    val due = out Bool ()

    /** Pulse: POLL_TIMEOUT has run out. */
    val tick = out Bool ()

    /** Transmissions are without an outcome. */
    val unresolved = out Bool ()
  }
  private val isUp = io.link.state === LinkState.up
  private val isOutage = io.link.state === LinkState.outage
  private def windowSn(sn: UInt) = WindowSn.of(link, sn)
  private def isUnequal(a: UInt, b: UInt) = RegNext(a =/= b) init False

  /** The peer may answer; in an outage because it was deaf, a poll asks whether it still is. */
  private val asks = RegNext(isUp || isOutage && !io.link.deaf) init False
  private val tick = Bool()
  // Data leaves from when the peer is up; before that nothing can make progress.
  val timer = new Countdown(io.timers.pollTimeout, tick || !asks || RegNext(io.link.peerUp.rise(initAt = False)) || io.timers.written, asks)
  tick := timer.expired && asks
  io.tick := tick

  // There are no more transmissions without an outcome than the window has frames.
  io.unresolved := isUnequal(windowSn(io.sender.ackTsn), windowSn(io.sender.txEdge))
  val unfinished = isUnequal(io.sender.peerRxBase, io.sender.nextFsn) || io.unresolved || io.sender.stalled

  /** The peer has acknowledged something since the last tick: a number has moved, by a window at most. */
  val progress = {
    def moves(number: UInt) = isUnequal(windowSn(number), RegNext(windowSn(number)) init WindowSn.first(link))
    val moved = moves(io.sender.ackTsn) || moves(io.sender.peerRxBase)
    RegInit(False) clearWhen tick setWhen moved clearWhen !asks
  }

  private val isLate = RegNext(tick && (unfinished && !progress || io.sender.unconfirmed || io.suspicious || !io.link.peerUp)) init False
  private val begins = isUp && !(RegNext(isUp) init False) && !io.link.peerUp
  io.due := isLate || begins
  Invariant.when(tick)(!(RegNext(tick) init False), "POLL_TIMEOUT ends twice")
}
