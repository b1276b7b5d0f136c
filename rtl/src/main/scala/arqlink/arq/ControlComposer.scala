// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink._
import arqlink.csr._
import arqlink.link._

/** Decides when a control unit is due and what it says: always all that this end knows. */
class ControlComposer(link: LinkConfig) extends Component {
  val io = new Bundle {
    val timers = in(TimerSetting())
    val state = in(LinkState())
    val ownEpoch, peerEpoch = in UInt (Wire.epochBits bits)
    val peerKnown = in Bool ()

    /** Of the sender half. */
    val txBase, txEdge, ackTsn, nextFsn, peerRxBase = in(Wire.sn)
    val senderIdle, stalled, gap, gaveUp, unconfirmed = in Bool ()

    /** Of the receiver half. */
    val rxBase, rxNext = in(Wire.sn)
    val outcomes = slave(OutcomePort(link))
    val decided = in Bool ()

    /** Nothing is heard; the peer has been seen up. */
    val deaf, peerUp = in Bool ()

    /** Causes from the link's state machine. */
    val helloDue, answerDue, outageEnded = in Bool ()

    /** A control unit of the peer. */
    val taken = slave Flow ControlMessage()

    /** Pulses: a unit of any kind, a data unit has been sent; a frame is being sent. */
    val sent, sentData, sending = in Bool ()
    val message = master Stream ControlMessage()
  }

  val isHello = io.state === LinkState.hello
  val isUp = io.state === LinkState.up
  val isOutage = io.state === LinkState.outage
  val active = isUp || isOutage

  val offer = RegInit(False)
  val compose = Bool()

  private val silent = RegNext(!active && !isHello) init True

  /** A cause that stays until a message has been composed. */
  private def pending(set: Bool) = {
    val flag = RegInit(False)
    when(compose)(flag := False)
    when(set)(flag := True)
    when(silent)(flag := False)
    flag
  }

  // What reloads the timers or lets them run, from registers.
  private val sent = RegNext(io.sent || isHello) init False
  private val composed = RegNext(compose) init False
  private val greeting = RegNext(isHello) init False
  private val running = RegNext(active) init False
  private val up = RegNext(isUp) init False

  /** Between hellos; once the link is up, between reports. */
  val paceTimer = new Countdown(
    interval = greeting ? io.timers.helloInterval | io.timers.statusInterval,
    reload = composed || greeting.fall(initAt = False),
    run = greeting || running
  )
  val keepaliveTimer = new Countdown(io.timers.keepalive, sent, running)
  val pollExpired = Bool()
  val pollTimer = new Countdown(io.timers.pollTimeout, pollExpired || !up, up)
  pollExpired := pollTimer.expired && up

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

    /** At most one poll for missing outcomes per POLL_TIMEOUT, unless outcomes came meanwhile. */
    val gapAllowed = RegInit(True)
    val due = RegNext(pollExpired && (unfinished && !moved || io.unconfirmed || gapOpen || !io.peerUp)) init False
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
    when(ackMoves)(gapAllowed := True)
  }

  private val recent = RegNext(io.outcomes.current - 1)

  /** Both halves of a report of `block` are complete, and it is not the recent one. */
  private def isOld(block: UInt) = (block - recent).msb

  /** A poll of the peer, three clocks later: by then it is known whether it asks for a series. */
  val asked = new Area {
    private val poll = RegNext(io.taken.valid && io.taken.poll) init False
    private val ackTsn = RegNextWhen(io.taken.ackTsn, io.taken.valid)
    private val window = log2Up(link.window.windowFrames)
    private val age = RegNext(io.rxNext - ackTsn)
    private val within = !age.dropLow(window).orR || age === link.window.windowFrames

    val block = RegNext(ackTsn.dropLow(5).asUInt)
    private val old = RegNext(isOld(ackTsn.dropLow(5).asUInt))
    private val judged = RegNext(poll) init False
    val now = RegNext(judged) init False
    val series = if (link.window.isBlock) False else RegNext(judged && within && old) init False
  }

  /** A poll that asks for outcomes older than the recent ones starts a series of reports. */
  val series = new Area {
    val block = Reg(UInt(Wire.snBits - 5 bits)) init 0
    val running = RegInit(False)

    /** The block is older than the recent two. */
    val old = RegNext(isOld(block)) init False
    val older = if (link.window.isBlock) False else running && old

    /** Distance in time that the peer needs to take the outcomes in, and the log to look them up. */
    val pace = Reg(UInt(8 bits)) init 0 // the sign ends it
    when(!pace.msb)(pace := pace - 1)
    when(!old || !active)(running := False)
    val due = older && pace.msb
    when(RegNext(compose && older) init False) {
      block := block + 2
      pace := 126
    }
    when(asked.series) {
      running := True
      old := True
      block := RegNext(asked.block)
      pace := 7
    }
    io.outcomes.block := block
  }

  val causes = new Area {
    /** What was said last; the peer sends no more than a window beyond. */
    private val saidBits = if (link.code.area.relaxed) link.window.slotBits + 2 else Wire.snBits
    val saidEdge = Reg(Wire.sn) init 0
    val saidRxBase, saidRxNext = Reg(UInt(saidBits bits)) init 0
    val hello = pending(RegNext(io.helloDue) && isHello)
    val answer = pending(RegNext(io.answerDue) || asked.now)
    val reply = pending(asked.now)
    val status = pending(io.decided)

    // A report alone lets one waiting data unit go first, or short frames of the peer would starve this side's.
    val dataTurn = RegInit(False) setWhen compose clearWhen (io.sentData || !io.sending)
    private def atLeast(power: Int, now: UInt, said: UInt) = RegNext(RegNext((now.resize(saidBits) - said).dropLow(log2Up(power))).orR) init False
    val many = atLeast(16, io.rxNext, saidRxNext)
    val gaveUp = pending(io.gaveUp)
    val polling = pending(poll.due || poll.gapNow || poll.first || RegNext(io.outageEnded))

    val tail = RegNext(RegNext(io.senderIdle) && unresolved && differ(io.txEdge, saidEdge)) init False
    val credit = atLeast(link.window.windowFrames / 4, io.rxBase, saidRxBase)
    when(compose) {
      saidEdge := io.txEdge
      saidRxBase := io.rxBase.resized
      saidRxNext := io.rxNext.resized
    }
    when(!running) {
      saidEdge := 0
      saidRxBase := 0
      saidRxNext := 0
    }
  }

  import causes._
  val keepalive = keepaliveTimer.expired && active

  // A series waits for the log; in an outage only answers and keep-alives are sent.
  private val plain = Mux(
    isUp,
    answer || status && (paceTimer.expired || many) && !dataTurn || gaveUp || polling || tail || credit || keepalive,
    isOutage && (answer || keepalive)
  )

  // What a message settles needs four clocks to show in what is due.
  private val helloNext, plainNext = RegInit(False)
  private val settled = !History(compose, 1 to 4, init = False).orR && !helloNext && !plainNext && !offer
  private val helloDue = RegNext(isHello && (hello || paceTimer.expired)) init False
  private val plainDue = RegNext(Mux(series.older, active && series.due, plain)) init False
  helloNext := settled && helloDue
  plainNext := settled && plainDue
  compose := helloNext || plainNext
  when(compose && (isHello || active))(offer := True)
  when(io.message.fire)(offer := False)

  val message = RegNextWhen(
    {
      val m = ControlMessage()
      m.epoch := io.ownEpoch
      m.hello := isHello
      m.peerKnown := io.peerKnown
      m.poll := !isHello && (polling || keepalive)
      m.reply := !isHello && reply
      m.deaf := !isHello && io.deaf
      m.peerEpoch := io.peerEpoch
      m.param := isHello ? (Bool(link.packetCrc) ## B(link.window.slotBits, 7 bits) ## B(link.code.unitBytes, 16 bits)) | (B(0, 4 bits) ## io.ackTsn)
      m.txBase := io.txBase
      m.txEdge := io.txEdge
      m.rxBase := io.rxBase
      m.rxNext := io.rxNext
      import series.older
      m.bitmapBase := older ? io.outcomes.report.base | io.outcomes.recent.base
      m.bitmap := older ? io.outcomes.report.bitmap | io.outcomes.recent.bitmap
      m
    },
    compose
  )
  io.message.valid := offer
  io.message.payload := message

}
