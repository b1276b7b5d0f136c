// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink.config.LinkConfig
import arqlink.lib.{Countdown, Invariant}
import arqlink.wire.{ControlMessage, Wire}

/** Decides when a control unit is due and what it says: always all that this end knows. */
class ControlComposer(link: LinkConfig) extends Component {
  val io = new Bundle {
    val timers = in(TimerSetting())
    val state = in(LinkState())
    val ownEpoch, peerEpoch = in UInt (Wire.epochBits bits)
    val peerKnown = in Bool ()

    /** Of the sender half. */
    val txBase, txEdge, ackTsn, nextFsn, peerRxBase = in(Wire.sn)
    val senderIdle, stalled, gap, isWhole, gaveUp, unconfirmed = in Bool ()

    /** Of the receiver half. `recent`: the newest outcomes; `older`: others, for a control unit of their own. */
    val rxBase, rxNext = in(Wire.sn)
    val recent = in(OutcomeReport())
    val older = slave Stream OutcomeReport()
    val decided = in Bool ()

    /** Nothing is heard; the peer has been seen up. */
    val deaf, peerUp = in Bool ()

    /** Causes from the link's state machine. */
    val helloDue, answerDue, outageEnded = in Bool ()

    /** Pulse: a poll of the peer is to be answered; `rxNext` tells what it has closed. */
    val asked = in Bool ()

    /** Pulse: the reply was composed two clocks ago. */
    val replied = out Bool ()

    /** Pulse: the poll timer has run out. The peer's control units of this period were all rejected. */
    val tick = out Bool ()
    val suspicious = in Bool ()

    /** Pulses: a unit of any kind, a data unit has been sent; a frame is being sent. */
    val sent, sentData, sending = in Bool ()
    val message = master Stream ControlMessage()
  }

  val isHello = io.state === LinkState.hello
  val isUp = io.state === LinkState.up
  val isOutage = io.state === LinkState.outage
  val active = isUp || isOutage

  val offer = RegInit(False)

  /** A control unit is composed now: one that says all that is due, or one that shows older outcomes, which settles nothing. */
  val composesDue, composesOlder = Bool()
  val compose = composesDue || composesOlder

  private val silent = RegNext(!active && !isHello) init True

  /** A cause that stays until a message has been composed for it. */
  private def pending(set: Bool) = {
    val flag = RegInit(False)
    when(composesDue)(flag := False)
    when(set)(flag := True)
    when(silent)(flag := False)
    flag
  }

  // What reloads the timers or lets them run, from registers.
  private val sent = RegNext(io.sent || isHello) init False
  private val composed = RegNext(composesDue) init False
  private val greeting = RegNext(isHello) init False
  private val running = RegNext(active) init False
  private val up = RegNext(isUp) init False

  /** Between hellos, the first of which leaves at once; once the link is up, between reports. */
  val paceTimer = new Countdown(
    interval = silent ? U(0, 32 bits) | (greeting ? io.timers.helloInterval | io.timers.statusInterval),
    reload = composed || greeting.fall(initAt = False) || silent || io.timers.written,
    run = greeting || running
  )
  // A message that waits for the PHY counts as sent, or a keep-alive would be followed by another one.
  val keepaliveTimer = new Countdown(io.timers.keepalive, sent || RegNext(compose) || io.timers.written, running)

  /** The peer may answer; in an outage because it was deaf, a poll asks whether it still is. */
  private val asking = RegNext(isUp || isOutage && !io.deaf) init False
  val pollExpired = Bool()
  // Data leaves from when the peer is up; before that nothing can make progress.
  val pollTimer = new Countdown(
    io.timers.pollTimeout,
    pollExpired || !asking || RegNext(io.peerUp.rise(initAt = False)) || io.timers.written,
    asking
  )
  pollExpired := pollTimer.expired && asking
  io.tick := pollExpired

  private def differ(a: UInt, b: UInt) = RegNext(a =/= b) init False

  /** Transmissions are without an outcome; there are no more of them than the window has frames. */
  private def near(sn: UInt) = sn.resize(link.window.slotBits + 1)
  val unresolved = differ(near(io.ackTsn), near(io.txEdge))

  val poll = new Area {
    private val relaxed = link.code.area.relaxed

    /** A copy of both as they were when the poll timer ran out. Relaxed, it is noticed when they move: by one, and by a window at most. */
    val lastAck, lastBase = !relaxed generate (Reg(Wire.sn) init 0)
    val moved =
      if (relaxed) {
        val flag = RegInit(False)
        when(pollExpired)(flag := False)
        when(ackMoves || near(io.peerRxBase) =/= (RegNext(near(io.peerRxBase)) init 0))(flag := True)
        flag
      } else differ(io.ackTsn, lastAck) || differ(io.peerRxBase, lastBase)
    private def ackMoves =
      if (relaxed) io.ackTsn.lsb =/= (RegNext(io.ackTsn.lsb) init False) else differ(RegNext(io.ackTsn) init 0, io.ackTsn)
    val unfinished = differ(io.peerRxBase, io.nextFsn) || unresolved || io.stalled
    val gapOpen = RegInit(False)

    /** At most one poll for missing outcomes per POLL_TIMEOUT, unless none was missing meanwhile. */
    val gapAllowed = RegInit(True)
    val due = RegNext(pollExpired && (unfinished && !moved || io.unconfirmed || gapOpen || io.suspicious || !io.peerUp)) init False
    val first = isUp && !up && !io.peerUp
    when(pollExpired) {
      if (!relaxed) {
        lastAck := io.ackTsn
        lastBase := io.peerRxBase
      }
      gapAllowed := True
      gapOpen := False
    }
    val gapNow = io.gap && gapAllowed
    when(io.gap)(gapOpen := True)
    when(gapNow)(gapAllowed := False)
    when(io.isWhole.rise(initAt = False))(gapAllowed := True)
  }

  val causes = new Area {
    /** What was said last; the peer sends no more than a window beyond. */
    private val saidBits = if (link.code.area.relaxed) link.window.slotBits + 2 else Wire.snBits
    val saidEdge = Reg(Wire.sn) init 0
    val saidRxBase, saidRxNext = Reg(UInt(saidBits bits)) init 0
    val hello = pending(RegNext(io.helloDue) && isHello)
    val answer = pending(RegNext(io.answerDue) || io.asked)
    val reply = pending(io.asked)
    val status = pending(io.decided)

    /** After a control unit a data unit that waits goes first, whatever is due, or the peer could starve this side's data. */
    val dataTurn = RegInit(False) clearWhen (io.sentData && !offer) setWhen compose clearWhen !io.sending
    private def atLeast(power: Int, now: UInt, said: UInt) = RegNext(RegNext((now.resize(saidBits) - said).dropLow(log2Up(power))).orR) init False
    val many = atLeast(16, io.rxNext, saidRxNext)

    /** Control units that tell of a frame given up and are still to be sent; the peer believes two in succession, so one of three may be lost. */
    val tellings = Reg(UInt(2 bits)) init 0
    when(composesDue && tellings =/= 0)(tellings := tellings - 1)
    when(io.gaveUp)(tellings := 3)
    when(silent)(tellings := 0)
    val gaveUp = RegNext(tellings =/= 0) init False
    val polling = pending(poll.due || poll.gapNow || poll.first || RegNext(io.outageEnded))

    val tail = RegNext(RegNext(io.senderIdle) && unresolved && differ(io.txEdge, saidEdge)) init False
    val credit = atLeast(link.window.windowFrames / 4, io.rxBase, saidRxBase)
    when(compose) {
      saidEdge := io.txEdge
      saidRxBase := io.rxBase.resized
    }
    when(composesDue)(saidRxNext := io.rxNext.resized)
    when(!running) {
      saidEdge := 0
      saidRxBase := 0
      saidRxNext := 0
    }
  }

  import causes._
  val keepalive = keepaliveTimer.expired && active

  // In an outage no data is sent, and there is nothing to report.
  private val plain = !dataTurn && Mux(
    isUp,
    answer || status && (paceTimer.expired || many) || gaveUp || polling || tail || credit || keepalive,
    isOutage && (answer || keepalive || polling && !io.deaf)
  )

  /** Older outcomes take turns with what is due. */
  val olderTurn = RegInit(False) setWhen composesDue clearWhen composesOlder
  private val older = io.older.valid && isUp && !dataTurn && (olderTurn || !plain)

  // What a message settles needs four clocks to show in what is due.
  private val helloNext, plainNext, olderNext = RegInit(False)
  private val settled = !History(compose, 1 to 4, init = False).orR && !compose && !offer
  private val helloDue = RegNext(isHello && (hello || paceTimer.expired)) init False
  private val plainDue = RegNext(plain && !older) init False
  private val olderDue = RegNext(older) init False
  helloNext := settled && helloDue
  plainNext := settled && plainDue
  olderNext := settled && olderDue && io.older.valid && isUp
  composesDue := helloNext || plainNext
  composesOlder := olderNext
  io.replied := RegNext(RegNext(composesDue && reply) init False) init False
  io.older.ready := olderNext
  when(compose && (isHello || active))(offer := True)
  when(io.message.fire || silent)(offer := False)

  val message = RegNextWhen(
    {
      val m = ControlMessage()
      m.epoch := io.ownEpoch
      m.hello := isHello
      m.peerKnown := io.peerKnown
      m.poll := !isHello && !olderNext && (polling || keepalive)
      m.reply := !isHello && !olderNext && reply
      m.deaf := !isHello && io.deaf
      m.abandons := !isHello && io.unconfirmed
      m.peerEpoch := io.peerEpoch
      m.param := isHello ? (Bool(link.packetCrc) ## B(link.window.slotBits, 7 bits) ## B(link.code.unitBytes, 16 bits)) | (B(0, 4 bits) ## io.ackTsn)
      m.txBase := io.txBase
      m.txEdge := io.txEdge
      m.rxBase := io.rxBase
      m.rxNext := io.rxNext
      val shown = olderNext ? io.older.payload | io.recent
      m.bitmapBase := shown.base
      m.bitmap := shown.bitmap
      m
    },
    compose
  )
  Invariant.when(compose)(!offer, "a message changes while it is offered")
  Invariant.when(composesOlder)(io.older.valid, "older outcomes are told, and there are none")
  Invariant.when(composesDue)(
    Invariant.follows(io.rxNext, io.recent.base, from = log2Up(Wire.blockBits)),
    "the outcomes told do not belong to their base"
  )

  io.message.valid := offer
  io.message.payload := message

}
