// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink._
import arqlink.link._

/** Selective-repeat sender of bounded persistency: chooses what to send next and learns what became of it.
  *
  * Each transmission's TSN maps to its frame and attempt; a failed one joins the retransmit queue, which goes before new
  * frames, or is abandoned after delta retransmissions. A frame's number of attempts travels with the map and the queue, so
  * the only state per frame is whether it is resolved.
  */
class ArqSender(link: LinkConfig) extends Component {
  import link.code
  private val slotBits = link.window.slotBits
  private val window = link.window.windowFrames

  val io = new Bundle {
    val config = in(SenderConfig(code))

    /** Frames below `head` are in the store; `meta` describes each before `head` passes it. */
    val head = in(Wire.sn)
    val meta = slave Flow SlotMeta(link)

    /** Peer's receive window as a power of two. */
    val peerWindowLog2 = in UInt (5 bits)
    val enable = in Bool ()

    /** The line is about to need a frame: the choice is made as late as that, so that a retransmission goes first. */
    val wanted = in Bool ()
    val frame = master Stream Transmission(code)

    /** Pulse: all units of the oldest frame handed over are on the PHY. */
    val frameDone = in Bool ()
    val feedback = slave Stream ControlMessage()

    /** Pulse at the end of an outage: transmissions so far do not count towards delta when they failed. */
    val outageEnded = in Bool ()

    val txBase = out(Wire.sn)
    val txEdge = out(Wire.sn)
    val nextFsn = out(Wire.sn)
    val ackTsn = out(Wire.sn)
    val peerRxBase = out(Wire.sn)
    val ready = out Bool ()

    /** Nothing to send and nothing being sent. */
    val idle = out Bool ()

    /** Frames wait, but the peer's window is full. */
    val stalled = out Bool ()
    val gap = out Bool ()

    /** Pulse: txBase passed an abandoned frame; `unconfirmed` until the peer's rxBase has passed it too. */
    val gaveUp = out Bool ()
    val unconfirmed = out Bool ()

    /** Frames sent and not resolved, as they will be in the next clock. */
    val open = out UInt (slotBits + 1 bits)
    val event = out(new Bundle {
      val frames, retx, acked, abandoned, outcomeOk, outcomeFailed, outcomeOutage, packetLost, controlInvalid = Bool()
    })
  }

  private def slotOf(sn: UInt) = sn.resize(slotBits)

  case class Sent() extends Bundle {
    val slot = UInt(slotBits bits)
    val attempt = UInt(Wire.attemptBits bits)
    val only = Bool()
  }

  object State {
    val open = B"00"
    val acked = B"01"
    val abandoned = B"10"
  }

  val metaRam = Mem(FrameMeta(code), window)
  val sentRam = Mem(Sent(), window)
  val stateRam = Mem(Bits(2 bits), window)
  metaRam.write(io.meta.slot, io.meta.meta, io.meta.valid)

  // Outcomes -----------------------------------------------------------------------------------------------------

  val intake = new OutcomeIntake(link)
  // Any later message repeats what an earlier one said, so the newest is dropped when two wait.
  val offered = io.feedback.toFlow.toStream
  intake.io.feedback << offered.m2sPipe(holdPayload = true).m2sPipe(holdPayload = true)

  val txEdge = Reg(Wire.sn) init 0
  when(io.frameDone)(txEdge := txEdge + 1)
  val nextFsn = Reg(Wire.sn) init 0
  intake.io.txEdge := txEdge
  intake.io.nextFsn := nextFsn
  io.event.controlInvalid := intake.io.controlInvalid

  val outage = new Area {
    val edge = Reg(Wire.sn)
    val pending = RegInit(False)
    val nextTsn = Wire.sn
    when(pending && !Sn.behind(intake.io.ackTsn, edge))(pending := False)
    when(io.outageEnded) {
      edge := nextTsn
      pending := True
    }
  }

  val retransmit = StreamFifo(Sent(), window)
  val outcome = new Area {
    val valid = RegNext(intake.io.outcome.valid) init False
    val received = RegNext(intake.io.outcome.received)
    val forgiven = RegNext(outage.pending && Sn.behind(intake.io.outcome.tsn, outage.edge)) &&
      io.config.outageFreeze && io.config.delta =/= 0
    val sent = sentRam.readSync(slotOf(intake.io.outcome.tsn))
    // What was announced as the only transmission stays that, whatever delta has become.
    val last = sent.only || (io.config.delta =/= 15 && sent.attempt >= io.config.delta && !forgiven)
    val acked = valid && received
    val failed = valid && !received
    val abandoned = failed && last

    retransmit.io.push.valid := failed && !last
    retransmit.io.push.slot := sent.slot
    retransmit.io.push.only := False
    retransmit.io.push.attempt := (forgiven || sent.attempt === 15) ? sent.attempt | (sent.attempt + 1)

    io.event.acked := acked
    io.event.abandoned := abandoned
    io.event.outcomeOk := acked
    io.event.outcomeFailed := failed
    io.event.outcomeOutage := failed && forgiven && !sent.only
  }

  // Window edge --------------------------------------------------------------------------------------------------

  val clear = new TableClear(slotBits)
  io.ready := clear.done

  val txBase = Reg(Wire.sn) init 0
  val sweep = new Area {
    val looked = RegInit(False)
    val state = stateRam.readSync(slotOf(txBase))
    val meta = metaRam.readSync(slotOf(txBase))
    val portFree = !outcome.acked && !outcome.abandoned
    val move = looked && state =/= State.open && portFree
    looked := txBase =/= nextFsn && clear.done && !move

    val packetLost = RegInit(False)
    val lostHere = state === State.abandoned
    val lastAbandoned = Reg(Wire.sn)
    val unconfirmed = RegInit(False)
    io.gaveUp := move && lostHere
    when(unconfirmed && !Sn.behind(io.peerRxBase, lastAbandoned) && io.peerRxBase =/= lastAbandoned)(unconfirmed := False)
    when(move) {
      txBase := txBase + 1
      packetLost := (packetLost || lostHere) && !meta.eop
      when(lostHere) {
        lastAbandoned := txBase
        unconfirmed := True
      }
    }
    io.unconfirmed := unconfirmed
    io.event.packetLost := move && meta.eop && (packetLost || lostHere)
  }

  stateRam.write(
    address = !clear.done ? clear.address | (sweep.portFree ? slotOf(txBase) | outcome.sent.slot),
    data = (!clear.done || sweep.portFree) ? State.open | (outcome.acked ? State.acked | State.abandoned),
    enable = !clear.done || !sweep.portFree || sweep.move
  )

  // What to send next --------------------------------------------------------------------------------------------

  val nextTsn = Reg(Wire.sn) init 0
  outage.nextTsn := nextTsn
  val issue = new Area {
    // The peer's window limits what it must store and the outcomes it must keep.
    val stored = nextFsn - io.peerRxBase
    val unresolved = nextFsn - txBase
    val credit = RegNext(((stored | unresolved) |>> io.peerWindowLog2) === 0) init False
    val fresh = nextFsn =/= io.head
    io.stalled := fresh && !credit

    val chosen = RegInit(False)
    val loaded = RegInit(False)
    val retx = Reg(Bool())
    val sent = Reg(Sent())
    val parity = RegNextWhen(retransmit.io.pop.valid ? io.config.parityRetx | io.config.parityFirst, !chosen)
    val preset = RegNextWhen(io.config.preset, !chosen)

    // A choice waits until `credit` has followed nextFsn.
    val settle = RegInit(U(0, 2 bits))
    when(settle =/= 0)(settle := settle - 1)

    retransmit.io.pop.ready := False
    when(!chosen && io.enable && io.wanted && clear.done && settle === 0) {
      when(retransmit.io.pop.valid) {
        chosen := True
        retx := True
        sent := retransmit.io.pop.payload
        retransmit.io.pop.ready := True
      } elsewhen (fresh && credit) {
        chosen := True
        retx := False
        sent.slot := slotOf(nextFsn)
        sent.attempt := 0
        sent.only := io.config.delta === 0
      }
    }
    val meta = metaRam.readSync(sent.slot)
    loaded := chosen && !io.frame.fire

    // The slot and the window base give back the full number.
    val fsn = txBase + (sent.slot - slotOf(txBase)).resize(Wire.snBits)
    io.frame.valid := chosen && loaded
    io.frame.meta := meta
    io.frame.n := meta.k.resize(code.nBits) + parity.resize(code.nBits)
    io.frame.preset := preset
    io.frame.attempt := sent.attempt
    io.frame.again := retx
    io.frame.only := sent.only
    io.frame.fsn := fsn
    io.frame.tsn := nextTsn
    io.event.frames := io.frame.fire && !retx
    io.event.retx := io.frame.fire && retx
    when(io.frame.fire) {
      chosen := False
      settle := 2
      nextTsn := nextTsn + 1
      when(!retx)(nextFsn := nextFsn + 1)
    }
  }
  sentRam.write(slotOf(nextTsn), issue.sent, io.frame.fire)

  val open = Reg(UInt(slotBits + 1 bits)) init 0
  val openNext = open + io.event.frames.asUInt - (io.event.acked || io.event.abandoned).asUInt

  io.txBase := txBase
  io.txEdge := txEdge
  io.nextFsn := nextFsn
  io.ackTsn := intake.io.ackTsn
  io.peerRxBase := intake.io.peerRxBase
  io.gap := intake.io.gap
  io.idle := !issue.chosen && !retransmit.io.pop.valid && !(issue.fresh && issue.credit) && txEdge === nextTsn &&
    !intake.io.busy && !outcome.valid && !intake.io.feedback.valid
  open := openNext
  io.open := openNext
}
