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

  private def countdown(interval: UInt, reload: Bool, run: Bool) = new Area {
    val left = Reg(UInt(32 bits)) init 0
    val expired = left === 0
    when(reload)(left := interval) elsewhen (run && !expired)(left := left - 1)
  }

  val offer = RegInit(False)
  val compose = Bool()

  /** A cause that stays until a message has been composed. */
  private def pending(set: Bool) = {
    val flag = RegInit(False)
    when(compose)(flag := False)
    when(set)(flag := True)
    when(!active && !isHello)(flag := False)
    flag
  }

  val helloTimer = countdown(io.timers.helloInterval, compose, isHello)
  val keepaliveTimer = countdown(io.timers.keepalive, io.sent || isHello, active)
  val statusTimer = countdown(io.timers.statusInterval, compose, active)
  val pollExpired = Bool()
  val pollTimer = countdown(io.timers.pollTimeout, pollExpired || !isUp, isUp)
  pollExpired := pollTimer.expired && isUp

  val poll = new Area {
    val lastAck, lastBase = Reg(Wire.sn) init 0
    val moved = RegNext(io.ackTsn =/= lastAck || io.peerRxBase =/= lastBase) init False
    val unfinished = RegNext(io.peerRxBase =/= io.nextFsn || io.ackTsn =/= io.txEdge || io.stalled) init False
    val gapOpen = RegInit(False)

    /** At most one poll for missing outcomes per POLL_TIMEOUT, unless outcomes came meanwhile. */
    val gapAllowed = RegInit(True)
    val due = pollExpired && (unfinished && !moved || io.unconfirmed || gapOpen || !io.peerUp)
    val wasUp = RegNext(isUp) init False
    val first = isUp && !wasUp && !io.peerUp
    when(pollExpired) {
      lastAck := io.ackTsn
      lastBase := io.peerRxBase
      gapAllowed := True
      gapOpen := False
    }
    val gapNow = io.gap && gapAllowed
    when(io.gap)(gapOpen := True)
    when(gapNow)(gapAllowed := False)
    val ackBefore = RegNext(io.ackTsn) init 0
    when(ackBefore =/= io.ackTsn)(gapAllowed := True)
  }

  /** A poll that asks for outcomes older than the recent ones starts a series of reports. */
  val series = new Area {
    val block = Reg(UInt(Wire.snBits - 5 bits)) init 0
    val running = RegInit(False)
    val recent = io.outcomes.current - 1

    /** Distance in time that the peer needs to take the outcomes in, and the log to look them up. */
    val pace = Reg(UInt(7 bits)) init 0
    when(pace =/= 0)(pace := pace - 1)
    val known = running && !(block - recent).msb
    when(known || !active)(running := False)
    val askedBlock = io.taken.ackTsn(Wire.snBits - 1 downto 5)
    val age = io.rxNext - io.taken.ackTsn
    when(io.taken.valid && io.taken.poll && age <= link.window.windowFrames && (askedBlock - recent).msb) {
      running := True
      block := askedBlock
      pace := 8
    }
    val due = running && !known && pace === 0
    when(compose && running && !known) {
      block := block + 2
      pace := 127
    }
    io.outcomes.block := block
  }

  val causes = new Area {
    val saidEdge, saidRxBase, saidRxNext = Reg(Wire.sn) init 0
    val hello = pending(io.helloDue && isHello)
    val answer = pending(io.answerDue || io.taken.valid && io.taken.poll)
    val reply = pending(io.taken.valid && io.taken.poll)
    val status = pending(io.decided)

    // A report alone lets one waiting data unit go first, or short frames of the peer would starve this side's.
    val dataTurn = RegInit(False) setWhen compose clearWhen (io.sentData || !io.sending)
    val many = RegNext((io.rxNext - saidRxNext) >= 16) init False
    val gaveUp = pending(io.gaveUp)
    val polling = pending(poll.due || poll.gapNow || poll.first || io.outageEnded)

    val tail = RegNext(io.senderIdle && io.ackTsn =/= io.txEdge && io.txEdge =/= saidEdge) init False
    val credit = RegNext((io.rxBase - saidRxBase) >= link.window.windowFrames / 4) init False
    when(compose) {
      saidEdge := io.txEdge
      saidRxBase := io.rxBase
      saidRxNext := io.rxNext
      tail := False
      credit := False
    }
    when(!active) {
      saidEdge := 0
      saidRxBase := 0
      saidRxNext := 0
    }
  }

  import causes._
  val keepalive = keepaliveTimer.expired && active
  val due = Bool()
  when(isHello) {
    due := hello || helloTimer.expired
  } otherwise {
    // A series waits for the log; in an outage only answers and keep-alives are sent.
    val plain = Mux(
      isUp,
      answer || status && (statusTimer.expired || many) && !dataTurn || gaveUp || polling || tail || credit || keepalive,
      isOutage && (answer || keepalive)
    )
    due := Mux(series.running && !series.known, active && series.due, plain)
  }

  compose := due && !offer
  when(compose)(offer := True)
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
      m.param := isHello ? (B(link.window.slotBits, 8 bits) ## B(link.code.unitBytes, 16 bits)) | (B(0, 4 bits) ## io.ackTsn)
      m.txBase := io.txBase
      m.txEdge := io.txEdge
      m.rxBase := io.rxBase
      m.rxNext := io.rxNext
      val older = series.running && !series.known
      m.bitmapBase := older ? io.outcomes.report.base | io.outcomes.recent.base
      m.bitmap := older ? io.outcomes.report.bitmap | io.outcomes.recent.bitmap
      m
    },
    compose
  )
  io.message.valid := offer
  io.message.payload := message

}
