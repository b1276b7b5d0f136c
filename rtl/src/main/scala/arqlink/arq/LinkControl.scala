// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink.config.LinkConfig
import arqlink.lib.Invariant
import arqlink.wire.{ControlMessage, Wire}

/** Intervals in clocks; `outageTimeout` 0 = never. */
case class TimerSetting() extends Bundle {
  val pollTimeout, helloInterval, keepalive, outageTimeout, statusInterval = UInt(32 bits)

  /** Pulse: one of them was written; what is there now counts from here on. */
  val written = Bool()
}

/** State of a link end: a bit each, as most of the link looks at it. STATUS.state has its number. */
object LinkState extends SpinalEnum(binaryOneHot) {
  val down, clearing, hello, up, outage = newElement()
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

  // Only what passes may have to wait, and does so without harm: none of this counts.
  when(judged && verdict.passUp || io.alive)(peerSeenUp := True)
  private val isHello = judged && helloAccepted
  when(isHello && isUp)(io.view.answerDue := True)

  private val heard = RegNext(judged && (pass || helloFits), init = False) || io.alive
  val silence = new Silence(io.timers, heard, io.phyUp, isUp, judged && verdict.passUp, message.deaf)
  io.view.deaf := silence.deaf

  private val holds = restarting.getAheadValue() || !enable || !io.enable
  val emptying = new Restart(restarting, holds, !enable, state === LinkState.clearing, io.tablesReady)
  io.flush := emptying.flushing
  io.flushNext := emptying.empties

  switch(state) {
    is(LinkState.down)(restart setWhen enable)
    is(LinkState.clearing) {
      when(emptying.done)(state := LinkState.hello)
    }
    is(LinkState.hello) {
      when(isHello) {
        peerKnown := True
        peerEpoch := message.epoch
        peerWindowLog2 := message.windowLog2
        io.view.helloDue := True
        io.view.answerDue := verdict.knowsOwnEpoch
      }
      when(judged && pass || isHello && verdict.knowsOwnEpoch)(state := LinkState.up)
    }
    is(LinkState.up) {
      when(silence.lost) {
        state := LinkState.outage
        event.outage := True
      }
    }
    is(LinkState.outage) {
      when(!silence.lost) {
        state := LinkState.up
        io.view.outageEnded := True
      }
    }
  }

  when(judged && otherPeer && !verdict.mismatch) {
    event.peerRestart := True
    restart := True
  }
  when(askedToRestart && state =/= LinkState.down)(restart := True)
  when(io.resync && isUp && enable && !restarting) {
    event.resync := True
    restart := True
  }
  when(restarting) {
    state := LinkState.clearing
    ownEpoch := ownEpoch + 1
    peerKnown := False
    peerSeenUp := False
    event.restart := True
  }
  when(!enable)(state := LinkState.down)

  Invariant.when(isUp)(peerKnown, "the link is up, and the peer is not known")
  Invariant.when(state === LinkState.down)(emptying.flushing, "the link is down, and what it empties is not being emptied")
  Invariant.when(isUp || state === LinkState.hello)(!emptying.flushing, "the link is in use, and is being emptied")
}
