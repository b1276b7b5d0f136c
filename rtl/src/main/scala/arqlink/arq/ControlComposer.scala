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
    val link = in(LinkView())
    val sender = in(SenderView())
    val receiver = in(ReceiverView())

    /** Outcomes that are not the newest, for a control unit of their own. */
    val older = slave Stream OutcomeReport()

    /** Pulse: the reply was composed two clocks ago. */
    val replied = out Bool ()

    /** Pulse: the poll timer has run out. The peer's control units of this period were all rejected. */
    val tick = out Bool ()
    val suspicious = in Bool ()

    /** Pulses: a unit of any kind, a data unit has been sent; a frame is being sent. */
    val sent, sentData, sending = in Bool ()
    val message = master Stream ControlMessage()
  }

  val isHello = io.link.state === LinkState.hello
  val isUp = io.link.state === LinkState.up
  val isOutage = io.link.state === LinkState.outage
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
  private val asking = RegNext(isUp || isOutage && !io.link.deaf) init False
  val pollExpired = Bool()
  // Data leaves from when the peer is up; before that nothing can make progress.
  val pollTimer = new Countdown(
    io.timers.pollTimeout,
    pollExpired || !asking || RegNext(io.link.peerUp.rise(initAt = False)) || io.timers.written,
    asking
  )
  pollExpired := pollTimer.expired && asking
  io.tick := pollExpired

  private def differ(a: UInt, b: UInt) = RegNext(a =/= b) init False

  /** Transmissions are without an outcome; there are no more of them than the window has frames. */
  private def near(sn: UInt) = WindowSn.of(link, sn)
  val unresolved = differ(near(io.sender.ackTsn), near(io.sender.txEdge))

  val poll = new Area {
    private val relaxed = link.code.area.relaxed

    /** A copy of both as they were when the poll timer ran out. Relaxed, it is noticed when they move: by one, and by a window at most. */
    val lastAck, lastBase = !relaxed generate (Reg(Wire.sn) init 0)
    val moved =
      if (relaxed) {
        val flag = RegInit(False)
        when(pollExpired)(flag := False)
        when(ackMoves || near(io.sender.peerRxBase) =/= (RegNext(near(io.sender.peerRxBase)) init 0))(flag := True)
        flag
      } else differ(io.sender.ackTsn, lastAck) || differ(io.sender.peerRxBase, lastBase)
    private def ackMoves =
      if (relaxed) io.sender.ackTsn.lsb =/= (RegNext(io.sender.ackTsn.lsb) init False) else differ(RegNext(io.sender.ackTsn) init 0, io.sender.ackTsn)
    val unfinished = differ(io.sender.peerRxBase, io.sender.nextFsn) || unresolved || io.sender.stalled
    val gapOpen = RegInit(False)

    /** At most one poll for missing outcomes per POLL_TIMEOUT, unless none was missing meanwhile. */
    val gapAllowed = RegInit(True)
    val due = RegNext(pollExpired && (unfinished && !moved || io.sender.unconfirmed || gapOpen || io.suspicious || !io.link.peerUp)) init False
    val first = isUp && !up && !io.link.peerUp
    when(pollExpired) {
      if (!relaxed) {
        lastAck := io.sender.ackTsn
        lastBase := io.sender.peerRxBase
      }
      gapAllowed := True
      gapOpen := False
    }
    val gapNow = io.sender.gap && gapAllowed
    when(io.sender.gap)(gapOpen := True)
    when(gapNow)(gapAllowed := False)
    when(io.sender.isWhole.rise(initAt = False))(gapAllowed := True)
  }

  val causes = new Area {

    /** What was said last; the peer sends no more than a window beyond. */
    private val sentBits = if (link.code.area.relaxed) link.window.slotBits + 2 else Wire.snBits
    val sentEdge = Reg(Wire.sn) init 0
    val sentRxBase, sentRxNext = Reg(UInt(sentBits bits)) init 0
    val hello = pending(RegNext(io.link.helloDue) && isHello)
    val answer = pending(RegNext(io.link.answerDue) || io.receiver.polled)
    val reply = pending(io.receiver.polled)
    val status = pending(io.receiver.decided)

    /** After a control unit a data unit that waits goes first, whatever is due, or the peer could starve this side's data. */
    val dataTurn = RegInit(False) clearWhen (io.sentData && !offer) setWhen compose clearWhen !io.sending
    private def atLeast(power: Int, now: UInt, said: UInt) = RegNext(RegNext((now.resize(sentBits) - said).dropLow(log2Up(power))).orR) init False
    val manyNew = atLeast(16, io.receiver.rxNext, sentRxNext)

    /** Control units that tell of a frame given up and are still to be sent; the peer believes two in succession, so one of three may be lost. */
    val noticesLeft = Reg(UInt(2 bits)) init 0
    when(composesDue && noticesLeft =/= 0)(noticesLeft := noticesLeft - 1)
    when(io.sender.gaveUp)(noticesLeft := 3)
    when(silent)(noticesLeft := 0)
    val gaveUp = RegNext(noticesLeft =/= 0) init False
    val polling = pending(poll.due || poll.gapNow || poll.first || RegNext(io.link.outageEnded))

    val tailDue = RegNext(RegNext(io.sender.idle) && unresolved && differ(io.sender.txEdge, sentEdge)) init False
    val creditDue = atLeast(link.window.windowFrames / 4, io.receiver.rxBase, sentRxBase)
    when(compose) {
      sentEdge := io.sender.txEdge
      sentRxBase := io.receiver.rxBase.resized
    }
    when(composesDue)(sentRxNext := io.receiver.rxNext.resized)
    when(!running) {
      sentEdge := 0
      sentRxBase := 0
      sentRxNext := 0
    }
  }

  import causes._
  val keepalive = keepaliveTimer.expired && active

  // In an outage no data is sent, and there is nothing to report.
  private val regularDue = !dataTurn && Mux(
    isUp,
    answer || status && (paceTimer.expired || manyNew) || gaveUp || polling || tailDue || creditDue || keepalive,
    isOutage && (answer || keepalive || polling && !io.link.deaf)
  )

  /** Older outcomes take turns with what is due. */
  val olderTurn = RegInit(False) setWhen composesDue clearWhen composesOlder
  private val older = io.older.valid && isUp && !dataTurn && (olderTurn || !regularDue)

  // What a message settles needs four clocks to show in what is due.
  private val helloNext, regularNext, olderNext = RegInit(False)
  private val settled = !History(compose, 1 to 4, init = False).orR && !compose && !offer
  private val helloDue = RegNext(isHello && (hello || paceTimer.expired)) init False
  private val regularReady = RegNext(regularDue && !older) init False
  private val olderDue = RegNext(older) init False
  helloNext := settled && helloDue
  regularNext := settled && regularReady
  olderNext := settled && olderDue && io.older.valid && isUp
  composesDue := helloNext || regularNext
  composesOlder := olderNext
  io.replied := RegNext(RegNext(composesDue && reply) init False) init False
  io.older.ready := olderNext
  when(compose && (isHello || active))(offer := True)
  when(io.message.fire || silent)(offer := False)

  val message = RegNextWhen(
    {
      val m = ControlMessage()
      m.epoch := io.link.ownEpoch
      m.hello := isHello
      m.peerKnown := io.link.peerKnown
      m.poll := !isHello && !olderNext && (polling || keepalive)
      m.reply := !isHello && !olderNext && reply
      m.deaf := !isHello && io.link.deaf
      m.abandons := !isHello && io.sender.unconfirmed
      m.peerEpoch := io.link.peerEpoch
      m.param := isHello ? (Bool(link.packetCrc) ## B(link.window.slotBits, 7 bits) ## B(link.code.unitBytes, 16 bits)) | (B(0, 4 bits) ## io.sender.ackTsn)
      m.txBase := io.sender.txBase
      m.txEdge := io.sender.txEdge
      m.rxBase := io.receiver.rxBase
      m.rxNext := io.receiver.rxNext
      val shown = olderNext ? io.older.payload | io.receiver.recent
      m.bitmapBase := shown.base
      m.bitmap := shown.bitmap
      m
    },
    compose
  )
  Invariant.when(compose)(!offer, "a message changes while it is offered")
  Invariant.when(composesOlder)(io.older.valid, "older outcomes are told, and there are none")
  Invariant.when(composesDue)(
    Invariant.follows(io.receiver.rxNext, io.receiver.recent.base, from = log2Up(Wire.blockBits)),
    "the outcomes told do not belong to their base"
  )

  io.message.valid := offer
  io.message.payload := message

}
