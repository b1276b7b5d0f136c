// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.{CodeConfig, LinkConfig}
import arqlink.lib.{Invariant, TableClear}
import arqlink.lib.queue.RetransmitQueue
import arqlink.store.SlotMeta
import arqlink.wire._

/** The code settings that the sender uses when a transmission begins. */
case class SenderConfig(code: CodeConfig) extends Bundle {
  val parityFirst = UInt(log2Up(code.maxParity + 1) bits)
  val parityRetx = UInt(log2Up(code.maxParity + 1) bits)
  val preset = UInt(2 bits)

  /** 0 to 14 retransmissions, 15 = never give up. */
  val delta = UInt(4 bits)
  val outageFreeze = Bool()
}

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
    val feedback = slave Flow ControlMessage()

    /** Pulse at the end of an outage: transmissions so far do not count towards delta when they failed. */
    val outageEnded = in Bool ()

    val view = out(SenderView())

    /** The tables are clear. */
    val ready = out Bool ()

    /** Frames sent and not resolved, as they will be in the next clock. */
    val open = out UInt (slotBits + 1 bits)
    val event = out(new Bundle {
      val frames, retx, acked, abandoned, outcomeOk, outcomeFailed, outcomeOutage, packetLost = Bool()
    })
    val judged = out(Judgement())
  }

  private def slotOf(sn: UInt) = sn.resize(slotBits)

  /** Of numbers that are a window apart at most. */
  private def differ(a: UInt, b: UInt) = a.resize(slotBits + 1) =/= b.resize(slotBits + 1)

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
  val eopRam = Mem(Bool(), window)
  metaRam.write(io.meta.slot, io.meta.meta, io.meta.valid)
  eopRam.write(io.meta.slot, io.meta.meta.eop, io.meta.valid)

  // All are read in two clocks, array and output register. A slot is read long after it was written: a frame is sent after its
  // description has come, and its outcome comes after it has been sent. Only the sweep looks at states while they are written.
  for (ram <- Seq(metaRam, sentRam, stateRam, eopRam)) {
    ram.addAttribute("no_rw_check")
    ram.addAttribute("ram_style", "block")
  }

  // Outcomes -----------------------------------------------------------------------------------------------------

  val intake = new OutcomeIntake(link)
  // While one is dealt with another one waits, and where there is room for it the newest behind that: it repeats what the ones before it said, but for older
  // outcomes, and there may be none after it.
  val newest = Stream(ControlMessage())
  if (code.area.relaxed) newest << io.feedback.toStream
  else {
    newest.valid := RegInit(False) clearWhen newest.ready setWhen io.feedback.valid
    newest.payload := RegNextWhen(io.feedback.payload, io.feedback.valid)
  }
  intake.io.feedback << newest.halfPipe()

  val txEdge = Reg(Wire.sn) init 0
  when(io.frameDone)(txEdge := txEdge + 1)
  val nextFsn = Reg(Wire.sn) init 0
  intake.io.txEdge := txEdge
  intake.io.nextFsn := nextFsn
  intake.io.peerWindowLog2 := io.peerWindowLog2
  io.judged := intake.io.judged

  val outage = new Area {
    val edge = Reg(Wire.sn)
    val pending = RegInit(False)
    val nextTsn = Wire.sn

    /** Whether what is listed, and ackTsn, were sent before the edge. */
    val before = RegNext(Sn.behind(intake.io.listed, edge))
    val ackBefore = if (link.window.isBlock) before else RegNext(Sn.behind(intake.io.ackTsn, edge))
    when(!ackBefore && !RegNext(io.outageEnded, init = False))(pending := False) // `ackBefore` is of the edge as it was a clock ago
    when(io.outageEnded) {
      edge := nextTsn
      pending := True
    }
  }

  val retransmit = new RetransmitQueue(Sent(), window)

  /** What becomes of a frame whose transmission has an outcome. */
  private val stages = new StageCtrlPipeline
  val outcome = new Area {
    // What was sent is there a clock after the outcome: it passes the table, its output register, and one near its user.
    private val outcomeAt = OutcomeIntake.latency
    private val sentAt = outcomeAt + 1
    val list = stages.ctrl(0)
    val read = stages.ctrl(1)
    val take = stages.ctrl(outcomeAt)
    val decide = stages.ctrl(sentAt)
    val tell = stages.ctrl(sentAt + 1)

    private val freeze = RegNext(io.config.outageFreeze && io.config.delta =/= 0)
    private val finite = RegNext(io.config.delta =/= 15)

    list.up.valid := True // each clock's TSN is looked up
    val transmission = read.insert(sentRam.readSync(slotOf(intake.io.listed)))
    val isForgiven = read.insert(outage.pending && outage.before && freeze)
    take.throwWhen(!intake.io.outcome.valid)
    val received = take.insert(intake.io.outcome.payload)

    val decided = new decide.Area {
      // What was announced as the only transmission stays that, whatever delta has become.
      private val sent = this(transmission)
      private val isLast = sent.only || finite && sent.attempt >= io.config.delta && !this(isForgiven)
      val slot = insert(sent.slot)
      val acked = insert(this(received))
      val abandoned = insert(!this(received) && isLast)
      val again = insert(!this(received) && !isLast)
      val attempt = insert((this(isForgiven) || sent.attempt === 15) ? sent.attempt | (sent.attempt + 1))
      val inOutage = insert(!this(received) && this(isForgiven) && !sent.only)
    }
    private def told(what: Payload[Bool]) = tell.isValid && tell(what)
    tell.down.ready := True
    val acked = told(decided.acked)
    val abandoned = told(decided.abandoned)
    val resolved = acked || abandoned
    val slot = tell(decided.slot)
    val busy = intake.io.outcome.valid || decide.isValid || tell.isValid

    retransmit.io.push.valid := told(decided.again)
    retransmit.io.push.slot := slot
    retransmit.io.push.only := False
    retransmit.io.push.attempt := tell(decided.attempt)

    io.event.acked := acked
    io.event.abandoned := abandoned
    io.event.outcomeOk := acked
    io.event.outcomeFailed := tell.isValid && !tell(decided.acked)
    io.event.outcomeOutage := told(decided.inOutage)
  }

  // Window edge --------------------------------------------------------------------------------------------------

  val clear = new TableClear(slotBits)
  io.ready := clear.done
  intake.io.clear.valid := !clear.done
  intake.io.clear.payload := clear.address

  val txBase = Reg(Wire.sn) init 0
  val sweep = new Area {
    // A clock until a state is written, two for the table, one for what it says; anew after each move, and while a state is being written.
    val state = RegNext(stateRam.readSync(slotOf(txBase)))
    val eop = RegNext(RegNext(eopRam.readSync(slotOf(txBase))))
    val move = Bool()
    val unmoved = RegNext(History(!move && !outcome.resolved, 0 to 3, init = False).reduce(_ && _)) init False
    val exists = RegNext(differ(txBase, nextFsn))
    val resolved = RegNext(state =/= State.open)
    val lostHere = RegNext(state === State.abandoned)
    move := unmoved && exists && resolved && !outcome.resolved

    val packetLost = RegInit(False)
    val lastAbandoned = Reg(Wire.sn)
    val unconfirmed = RegInit(False)
    private def pulse(x: Bool) = RegNext(x) init False

    /** Abandoned, and the peer is still to skip it. */
    private val isOwed = lostHere && RegNext(!Sn.behind(txBase, intake.io.peerRxBase))
    io.view.gaveUp := pulse(move && isOwed)
    val confirmed = RegNext(Sn.behind(lastAbandoned, io.view.peerRxBase))
    when(confirmed && !io.view.gaveUp)(unconfirmed := False) // `confirmed` is of a clock ago
    when(move) {
      txBase := txBase + 1
      packetLost := (packetLost || lostHere) && !eop
      when(isOwed) {
        lastAbandoned := txBase
        unconfirmed := True
      }
    }
    io.view.unconfirmed := unconfirmed
    io.event.packetLost := pulse(move && eop && (packetLost || lostHere))
  }

  // A clock in registers, as the choice is late. Nothing is sent, and so neither resolved nor swept, before the table is clear.
  stateRam.write(
    address = RegNext(!clear.done ? clear.address | (outcome.resolved ? outcome.slot | slotOf(txBase))),
    data = RegNext(outcome.resolved ? (outcome.acked ? State.acked | State.abandoned) | State.open),
    enable = RegNext(!clear.done || outcome.resolved || sweep.move) init False
  )

  // What to send next --------------------------------------------------------------------------------------------

  val nextTsn = Reg(Wire.sn) init 0
  outage.nextTsn := nextTsn
  val issue = new Area {
    // The peer's window limits what it must store; both limit the outcomes that are kept.
    // None of what is held here is more than this side's window.
    private def held(end: UInt, begin: UInt) = RegNext((end - begin).resize(slotBits + 1))
    val stored = RegNext(nextFsn - io.view.peerRxBase)
    val unresolved = held(nextFsn, txBase)
    val undecided = held(nextTsn, intake.io.ackTsn)
    val beyond = RegNext(Cat((0 until Wire.snBits).map(i => U(i) >= io.peerWindowLog2)))
    private def exceeds(count: UInt) = (count.asBits & beyond.resize(count.getWidth)).orR

    /** A frame may be sent again, a new one. */
    val mayRepeat = RegNext(!exceeds(undecided) && !undecided.msb) init False
    val credit = RegNext(!exceeds(stored | (unresolved | undecided).resized) && !undecided.msb) init False
    val fresh = RegNext(differ(nextFsn, io.head)) init False
    io.view.stalled := fresh && !credit

    val chosen = RegInit(False)
    val retx = Reg(Bool())
    val sent = Reg(Sent())
    val parity = RegNextWhen((retransmit.io.pop.valid && mayRepeat) ? io.config.parityRetx | io.config.parityFirst, !chosen)
    val preset = RegNextWhen(io.config.preset, !chosen)

    // A choice waits until `credit` and `fresh` have followed nextFsn.
    val settled = RegNext(History(!io.frame.fire, 0 to 2, init = True).reduce(_ && _)) init True

    /** A retransmission was chosen a clock ago; it stands on the queue's port until then. */
    val retxChosen = RegNext(False) init False
    retransmit.io.pop.ready := retxChosen
    private val due = !chosen && io.enable && io.wanted && clear.done && settled

    /** A clock late where beats are wide. */
    val isDue = if (code.isWide) !chosen && RegNext(due).init(False) else due
    when(isDue) {
      when(retransmit.io.pop.valid && mayRepeat) {
        chosen := True
        retx := True
        sent := retransmit.io.pop.payload
        retxChosen := True
      } elsewhen (fresh && credit) {
        chosen := True
        retx := False
        sent.slot := slotOf(nextFsn)
        sent.attempt := 0
        sent.only := io.config.delta === 0
      }
    }
    // Two clocks for the table, one for the way from there, one for the sum; the slot and the window base give back the full number
    // meanwhile.
    val loaded = RegNext(History(chosen, 0 to 3, init = False).reduce(_ && _)) init False
    val meta = Delay(metaRam.readSync(sent.slot), 2)
    val wraps = RegNext(sent.slot < slotOf(txBase))
    val above = RegNext(txBase(Wire.snBits - 1 downto slotBits))
    val fsn = RegNextWhen((above + wraps.asUInt) @@ sent.slot, !loaded)

    io.frame.valid := chosen && loaded
    io.frame.meta := meta
    io.frame.n := RegNextWhen(meta.k.resize(code.nBits) + parity.resize(code.nBits), !loaded)
    io.frame.preset := preset
    io.frame.attempt := sent.attempt
    io.frame.again := retx
    io.frame.only := sent.only
    io.frame.fsn := fsn
    io.frame.tsn := nextTsn
    io.event.frames := RegNext(io.frame.fire && !retx) init False
    io.event.retx := RegNext(io.frame.fire && retx) init False
    when(io.frame.fire) {
      chosen := False
      nextTsn := nextTsn + 1
      when(!retx)(nextFsn := nextFsn + 1)
    }
  }
  // `sent` stands for another clock.
  sentRam.write(RegNext(slotOf(nextTsn)), issue.sent, RegNext(io.frame.fire) init False)

  val open = Reg(UInt(slotBits + 1 bits)) init 0
  val openNext = open + io.event.frames.asUInt - outcome.resolved.asUInt

  Invariant(openNext <= window, "more frames are open than the window has")
  Invariant(!Sn.behind(nextFsn, txBase) && !Sn.behind(nextTsn, txEdge) && !Sn.behind(io.head, nextFsn), "an edge is beyond what it follows")
  Invariant.when(io.frame.fire)(nextTsn - intake.io.ackTsn < window, "more outcomes are missing than are kept")
  Invariant.when(io.frame.fire && !issue.retx)(nextFsn - intake.io.peerRxBase < (U(1, Wire.snBits bits) |<< io.peerWindowLog2), "a frame is beyond the peer's credit")

  stages.build()
  io.view.txBase := txBase
  io.view.txEdge := txEdge
  io.view.nextFsn := nextFsn
  io.view.ackTsn := intake.io.ackTsn
  io.view.peerRxBase := intake.io.peerRxBase
  io.view.gap := intake.io.gap
  io.view.isWhole := intake.io.isWhole
  private val rests = Seq(
    !issue.chosen && issue.settled && !(issue.fresh && issue.credit),
    !differ(txEdge, nextTsn),
    !retransmit.io.busy || retransmit.io.pop.valid && issue.settled && !issue.mayRepeat,
    !intake.io.busy && !outcome.busy && !intake.io.feedback.valid && !newest.valid
  )
  io.view.idle := RegNext(rests.map(RegNext(_, init = False)).reduce(_ && _)) init False
  open := openNext
  io.open := openNext
}

object ArqSender {

  /** Most clocks from `wanted` to a frame on the port: the choice, its description from the table, and their sums. */
  def choiceLatency(code: CodeConfig): Int = if (code.isWide) 8 else 7
}
