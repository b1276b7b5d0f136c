// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink.config.LinkConfig
import arqlink.lib.{Countdown, Invariant}
import arqlink.wire.{ControlMessage, Wire}

/** Intervals in clocks; `outageTimeout` 0 = never. */
case class TimerSetting() extends Bundle {
  val pollTimeout, helloInterval, keepalive, outageTimeout, statusInterval = UInt(32 bits)

  /** Pulse: one of them was written; what is there now counts from here on. */
  val written = Bool()
}

/** State of a link end, as STATUS.state. */
object LinkState extends SpinalEnum(binarySequential) {
  val down, clearing, hello, up, outage = newElement()
}

object LinkControl {

  /** Clocks of a restart until it releases the reset of what it empties. */
  private val emptyClocks = 2

  /** Clocks of a restart until `tablesReady` counts: it must have gone low for the tables that are being cleared. The reset
    * register of the blocks, the counter of [[arqlink.lib.TableClear]] and `tablesReady` here take three of these clocks; the others are spare.
    */
  private val settleClocks = 7
}

/** Start, restart and outage of a link end: the handshake with epochs and the check of what comes from the peer.
  *
  * A hello after the peer was seen up means that it restarted; as the link is FIFO, no stale hello can come then.
  */
class LinkControl(link: LinkConfig) extends Component {
  val io = new Bundle {
    val enable = in Bool ()
    val restart = in Bool ()

    /** Pulse: what the peer said contradicts itself. */
    val resync = in Bool ()
    val phyUp = in Bool ()
    val timers = in(TimerSetting())

    /** The tables of all blocks in the flushed area are clear. */
    val tablesReady = in Bool ()

    /** What a restart empties is to be empty; `flushNext`: in the next clock. */
    val flush, flushNext = out Bool ()
    val view = out(LinkView())
    val peerWindowLog2 = out UInt (5 bits)

    val control = slave Stream ControlMessage()

    /** Which transmissions a control unit closes, once the link is up; the receiver may let it wait. */
    val close = master Stream CloseNotice()

    /** The same control unit, a clock after the receiver has accepted `close`. */
    val admitted = master Flow ControlMessage()

    /** Pulse: a data unit of the peer came. */
    val alive = in Bool ()
    val event = out(new Bundle {
      val control, epoch, restart, outage, peerMismatch, peerRestart, resync = Bool()
    })
  }

  /** CTRL from a register: it decides the flush of all blocks. */
  private val enable = RegNext(io.enable) init False
  private val askedToRestart = RegNext(io.restart) init False

  val state = RegInit(LinkState.down)

  /** Initialized by the bitstream and not by the reset, so that no epoch is used again after a reset. */
  val ownEpoch = ClockDomain.current.copy(reset = null, softReset = null, config = ClockDomain.current.config.copy(resetKind = BOOT))(
    Reg(UInt(Wire.epochBits bits)) init 0
  )
  val peerEpoch = Reg(UInt(Wire.epochBits bits)) init 0
  val peerKnown = RegInit(False)

  /** A unit without hello has come from this peer. */
  val peerSeenUp = RegInit(False)
  val peerWindowLog2 = Reg(UInt(5 bits)) init 0

  io.view.state := state
  io.view.ownEpoch := ownEpoch
  io.view.peerEpoch := peerEpoch
  io.view.peerKnown := peerKnown
  io.peerWindowLog2 := peerWindowLog2
  io.view.peerUp := state === LinkState.up && peerSeenUp

  val message = io.control.payload
  val isUp = state === LinkState.up || state === LinkState.outage

  /** Something asks for a restart; the restart itself, a clock later. No control unit is judged in between. */
  val restart = False
  val restarting = Reg(Bool()) init False
  restarting := restart && !restarting && enable

  /** A control unit is compared in its first clock, judged in the next, acted on in the third, and leaves in the fourth. */
  private val checked = new Area {

    /** The peer's window must hold this end's longest packet at K = 1. */
    private val leastWindow = log2Up((link.longestPacket + link.code.unitBytes - 1) / link.code.unitBytes)
    val valid = RegNext(io.control.valid && !io.control.ready && !restarting) init False
    val knowsOwnEpoch = RegNext(message.peerKnown && message.peerEpoch === ownEpoch)
    val fromPeer = RegNext(peerKnown && message.epoch === peerEpoch)
    private val isSame = RegNext(message.unitBytes === link.code.unitBytes && message.packetCrc === Bool(link.packetCrc) && message.reserved === 0)
    val sameWindow = RegNext(message.windowLog2 === peerWindowLog2)
    private val isWindow = RegNext(message.windowLog2 >= leastWindow && message.windowLog2 <= 18)
    val fits = isSame && isWindow
  }
  private val verdict = new Area {
    import checked.{fits, fromPeer, sameWindow}
    val valid = RegNext(checked.valid && io.control.valid && !io.control.ready && !restarting) init False
    private val passes = !message.hello && fromPeer && checked.knowsOwnEpoch
    val pass = RegNext(passes && (isUp || state === LinkState.hello))
    val passUp = RegNext(passes && isUp)

    /** A hello that fits. */
    val helloFits = RegNext(message.hello && fits)
    val mismatch = RegNext(message.hello && !fits)
    val knowsOwnEpoch = RegNext(checked.knowsOwnEpoch)

    /** Two hellos of one epoch announce different windows. */
    private val contradicts = message.hello && fromPeer && !sameWindow
    // Once the peer has shown that it knows this end, all it sends does, until it restarts.
    private val isStranger = contradicts || isUp && (!fromPeer || !checked.knowsOwnEpoch || (message.hello && peerSeenUp))
    val otherPeer = RegNext(isStranger)

    /** A hello that is acted on. */
    val helloAccepted = RegNext(message.hello && fits && !isStranger)
  }
  import verdict.{helloFits, pass, otherPeer, helloAccepted}
  private val judged = verdict.valid && !io.control.ready
  io.close.valid := judged && verdict.passUp
  io.close.txEdge := message.txEdge
  io.close.poll := message.poll
  // The unit that brings the link up stays, is judged once more by a link that is up, and leaves then.
  val take = judged && (!pass || io.close.fire)
  io.control.ready := RegNext(take) init False
  io.admitted.valid := RegNext(io.close.fire) init False
  io.admitted.payload := message

  val event = io.event
  event.control := take && (pass || helloFits)
  event.epoch := take && !pass && !helloFits
  event.peerMismatch := judged && verdict.mismatch
  event.peerRestart := False
  event.restart := False
  event.resync := False
  event.outage := False
  io.view.helloDue := False
  io.view.answerDue := False
  io.view.outageEnded := False

  when(judged && pass && state === LinkState.hello)(state := LinkState.up)
  // Only what passes may have to wait, and does so without harm: none of this counts.
  when(judged && verdict.passUp || io.alive)(peerSeenUp := True)
  when(judged && helloAccepted) {
    when(state === LinkState.hello) {
      peerKnown := True
      peerEpoch := message.epoch
      peerWindowLog2 := message.windowLog2
      io.view.helloDue := True
      when(verdict.knowsOwnEpoch) {
        state := LinkState.up
        io.view.answerDue := True
      }
    }
    when(isUp)(io.view.answerDue := True)
  }

  when(judged && otherPeer && !verdict.mismatch) {
    event.peerRestart := True
    restart := True
  }

  val silence = new Area {
    val heard = RegNext(judged && (pass || helloFits), init = False) || io.alive
    private val timeout = io.timers.outageTimeout
    private val never = RegNext(!timeout.subdivideIn(2 slices).map(half => RegNext(half.orR)).orR) init True
    private val hearing = RegNext(heard || !isUp || never) init True
    val deaf = RegInit(True)

    /** A value that is written counts at once, but ends no silence that has lasted OUTAGE_TIMEOUT. */
    private val ended = Bool()
    private val timer = new Countdown(timeout, hearing || io.timers.written && !ended, True)
    ended := timer.expired
    deaf := ended && !hearing || !io.phyUp

    /** The peer says that it is deaf. */
    val peerDeaf = RegInit(False)
    when(judged && verdict.passUp)(peerDeaf := message.deaf)
    when(!isUp)(peerDeaf := False)
    val lost = RegNext(deaf || peerDeaf) init True
    when(state === LinkState.up && lost) {
      state := LinkState.outage
      event.outage := True
    }
    when(state === LinkState.outage && !lost) {
      state := LinkState.up
      io.view.outageEnded := True
    }
  }

  io.view.deaf := silence.deaf
  Invariant.when(isUp)(peerKnown, "the link is up, and the peer is not known")

  // A restart, clock by clock: 0 something asks (`restart`); 1 `restarting` and `empties`; 2 new epoch, state `clearing`, `flushing`, `settle` 0. When
  // `settle` is `emptyClocks`, `empties` ends and the tables begin to clear themselves. At `settleClocks` it stops, and the link waits for
  // `tablesReady`; then the state is `hello`.

  /** What `flushing` will be, for the resets of many blocks. */
  val empties = RegInit(True)
  val flushing = RegNext(empties) init True
  val settle = Reg(UInt(log2Up(LinkControl.settleClocks + 1) bits)) init 0

  private val tablesReady = RegNext(io.tablesReady) init False
  io.flush := flushing
  io.flushNext := empties
  when(state === LinkState.down && enable)(restart := True)
  // This holds in any state: `settle` counts only during a restart, and a link that is down stays empty.
  when(settle === LinkControl.emptyClocks)(empties := False)
  when(restarting || restarting.getAheadValue() || !enable || !io.enable)(empties := True)
  when(state === LinkState.clearing) {
    settle := settle + 1
    when(settle === LinkControl.settleClocks) {
      settle := settle
      when(tablesReady)(state := LinkState.hello)
    }
  }
  Invariant.when(state === LinkState.clearing && settle === LinkControl.settleClocks - 1)(!tablesReady, "no spare clock is left for tablesReady to go low")
  Invariant.when(state === LinkState.down)(flushing, "the link is down, and what it empties is not being emptied")
  Invariant.when(isUp || state === LinkState.hello)(!flushing, "the link is in use, and is being emptied")
  when(askedToRestart && state =/= LinkState.down)(restart := True)
  when(io.resync && isUp && enable && !restarting) {
    event.resync := True
    restart := True
  }
  when(restarting) {
    state := LinkState.clearing
    settle := 0
    ownEpoch := ownEpoch + 1
    peerKnown := False
    peerSeenUp := False
    event.restart := True
  }
  when(!enable) {
    state := LinkState.down
    settle := 0
  }
}
