// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.LinkConfig
import arqlink.lib.{BlockRam, Invariant, SeqNum, TableClear}
import arqlink.lib.queue.RetransmitQueue
import arqlink.store.SlotMeta
import arqlink.wire._

/** Selective-repeat sender of bounded persistency: chooses what to send next and learns what became of it.
  *
  * Each transmission's TSN maps to its frame and attempt; a failed one joins the retransmit queue, which goes before new
  * frames, or is abandoned after delta retransmissions. A frame's number of attempts travels with the map and the queue, so
  * the only state per frame is whether it is resolved.
  *
  * @param lead a frame is chosen while fewer units are chosen and have not begun to leave; no sooner, as a retransmission may come, which goes first
  */
class ArqSender(link: LinkConfig, lead: Int) extends Component {
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

    /** At most `lead` of them have not begun to leave. */
    val frame = master Flow Transmission(code)

    /** Pulse: a data unit begins to leave. */
    val unitBegun = in Bool ()

    /** Pulse: all units of the oldest frame issued are on the PHY. */
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
      val frames, retx, abandoned, outcomeOk, outcomeFailed, outcomeOutage, packetLost, failing = Bool()

      /** A frame has been acknowledged: one bit, that of the attempt that was received. */
      val acked = Bits(1 << Wire.attemptBits bits)
    })
    val judged = out(Judgement())
  }

  private def slotOf(sn: UInt) = sn.resize(slotBits)

  // All are read in two clocks, array and output register. A slot is read long after it was written: a frame is sent after its
  // description has come, and its outcome comes after it has been sent. Only the sweep reads states while they are written.
  val metaRam = BlockRam(FrameMeta(code), window)
  val sentRam = BlockRam(Sent(link), window)
  val stateRam = BlockRam(SentState(), window)
  val eopRam = BlockRam(Bool(), window)
  metaRam.write(io.meta.slot, io.meta.meta, io.meta.valid)
  eopRam.write(io.meta.slot, io.meta.meta.eop, io.meta.valid)

  // Outcomes -----------------------------------------------------------------------------------------------------

  /** The next new frame, and the next transmission, have these numbers; the window begins at `txBase`. */
  val nextFsn, nextTsn, txBase = Wire.sn

  /** The first transmission of the newest frame was announced as its last try. */
  private val isAnnounced = Bool()
  val intake = new OutcomeIntake(link)
  intake.io.nextFsn := nextFsn
  // One message is processed and one waits. A third place has the newest of those that came since: it repeats what they said, but for older
  // outcomes, and no other message may follow.
  val newest = Stream(ControlMessage())
  newest.valid := RegInit(False) clearWhen newest.ready setWhen io.feedback.valid
  newest.payload := RegNextWhen(io.feedback.payload, io.feedback.valid)
  intake.io.feedback << newest.halfPipe()

  /** TSN of the oldest transmission that is not on the PHY in full. */
  val txEdge = Reg(Wire.sn) init link.firstSn
  when(io.frameDone)(txEdge := txEdge + 1)
  intake.io.txEdge := txEdge
  io.judged := intake.io.judged

  val outage = new Area {
    val edge = Reg(Wire.sn)
    val pending = RegInit(False)

    /** ackTsn was sent before the edge. */
    private val ackBefore = RegNext(SeqNum.isBelow(intake.io.ackTsn, edge))
    when(!ackBefore && !RegNext(io.outageEnded, init = False))(pending := False) // `ackBefore` is of the edge as it was a clock ago
    when(io.outageEnded) {
      edge := nextTsn
      pending := True
    }
  }

  val retransmit = new RetransmitQueue(Try(link), window)

  /** What becomes of a frame whose transmission has an outcome. */
  val outcome = new Area {
    private val stages = new StageCtrlPipeline
    // What was sent passes the table, its output register, and one near its user.
    private val (askAt, readAt, sentAt) = (0, 1, 3)
    val ask = stages.ctrl(askAt)
    val read = stages.ctrl(readAt)
    val decide = stages.ctrl(sentAt)
    val report = stages.ctrl(sentAt + 1)

    private val freeze = RegNext(io.config.outageFreeze)
    private val finite = RegNext(io.config.delta =/= 15)

    ask.up.valid := intake.io.outcome.valid
    private val tsn = intake.io.outcome.tsn
    val received = ask.insert(intake.io.outcome.received)
    private val isBefore = ask.insert(SeqNum.isBelow(tsn, outage.edge))
    val transmission = read.insert(sentRam.readSync(slotOf(tsn)))
    val isForgiven = read.insert(outage.pending && read(isBefore) && freeze)

    val decided = new decide.Area {
      private val sent = this(transmission).of
      private val wasLast = this(transmission).isLast
      private val isLast = wasLast || finite && sent.attempt >= io.config.delta && !this(isForgiven)
      val slot = insert(sent.slot)

      /** The bit of the frame's FSN above those of the slot: a slot below that of txBase is of the round after its own. */
      val turn = insert(txBase(slotBits) ^ sent.slot < slotOf(txBase))
      val attempt = insert((this(isForgiven) || sent.attempt === 15) ? sent.attempt | (sent.attempt + 1))

      /** High in the next stage, from a register with a reset. */
      private def pulse(x: Bool) = RegNext(isValid && x) init False
      val acked = pulse(this(received))
      val ackedAt = RegNext(UIntToOh(sent.attempt, 1 << Wire.attemptBits).andMask(isValid && this(received))) init 0
      val failed = pulse(!this(received))
      val abandoned = pulse(!this(received) && isLast)
      val failing = pulse(!this(received) && sent.attempt === 15)
      val resolved = pulse(this(received) || isLast)
      val again = pulse(!this(received) && !isLast)
      val inOutage = pulse(!this(received) && this(isForgiven) && !wasLast)
    }
    report.down.ready := True
    val acked = decided.acked
    val resolved = decided.resolved
    val slot = report(decided.slot)
    val turn = report(decided.turn)
    val busy = (askAt to sentAt + 1).map(stages.ctrl(_).isValid).orR

    retransmit.io.push.valid := decided.again
    retransmit.io.push.slot := slot
    retransmit.io.push.attempt := report(decided.attempt)

    io.event.acked := decided.ackedAt
    io.event.abandoned := decided.abandoned
    io.event.outcomeOk := acked
    io.event.outcomeFailed := decided.failed
    io.event.outcomeOutage := decided.inOutage
    io.event.failing := decided.failing
    stages.build()
  }

  // Window edge --------------------------------------------------------------------------------------------------

  val clear = new TableClear(slotBits)
  io.ready := clear.done
  intake.io.clear.valid := !clear.done
  intake.io.clear.payload := clear.address

  // A clock in registers, as the choice is late. Nothing is sent, and so neither resolved nor swept, before the table is clear.
  private val isWriting = RegNext(!clear.done || outcome.resolved) init False
  val sweep = new WindowSweep(link, stateRam, eopRam, nextFsn, isAnnounced, intake.io.peerRxBase, isWriting)
  txBase := sweep.txBase
  private val resolved = SentState()
  resolved.turn := !outcome.turn
  resolved.abandoned := !outcome.acked
  stateRam.write(
    address = RegNext(clear.done ? outcome.slot | clear.address),
    data = RegNext(clear.done ? resolved | resolved.getZero),
    enable = isWriting
  )
  io.event.packetLost := sweep.packetLost

  // What to send next --------------------------------------------------------------------------------------------

  private val bounds = SenderBounds()
  bounds.txBase := txBase
  bounds.ackTsn := intake.io.ackTsn
  bounds.peerRxBase := intake.io.peerRxBase
  bounds.peerWindowLog2 := io.peerWindowLog2
  val issue = new FrameIssue(link, io.config, metaRam, bounds, io.head, io.enable && clear.done, io.unitBegun, retransmit.io.pop, lead)
  nextFsn := issue.nextFsn
  nextTsn := issue.nextTsn
  isAnnounced := issue.announcement.newest
  io.frame << issue.frame
  private val isChosen = issue.chosen.isValid
  io.event.frames := RegNext(isChosen && !issue.chosen(issue.isRepeated)) init False
  io.event.retx := RegNext(isChosen && issue.chosen(issue.isRepeated)) init False
  sentRam.write(slotOf(issue.place(issue.tsn)), issue.place(issue.sent), issue.place.isValid)

  /** Frames sent and not resolved. */
  val open = Reg(UInt(slotBits + 1 bits)) init 0
  open := open + io.event.frames.asUInt - outcome.resolved.asUInt
  io.open := open.getAheadValue()

  // What others see -----------------------------------------------------------------------------------------

  io.view.txBase := txBase
  io.view.txEdge := txEdge
  io.view.nextFsn := nextFsn
  io.view.ackTsn := intake.io.ackTsn
  io.view.peerRxBase := intake.io.peerRxBase
  io.view.gaveUp := sweep.gaveUp
  io.view.unconfirmed := sweep.unconfirmed
  io.view.stalled := issue.credit.isWaiting && !issue.credit.mayBegin
  private val rests = new Area {
    private def was(condition: Bool) = RegNext(condition) init False
    val issuing = was(issue.isCurrent && !(issue.credit.isWaiting && issue.credit.mayBegin))
    val edge = was(WindowSn.of(link, txEdge) === WindowSn.of(link, nextTsn))
    val repeating = was(!retransmit.io.busy && !issue.described.someFailed) ||
      was(issue.failed.valid && issue.isCurrent && !issue.credit.mayRepeat)
    val intaking = was(!intake.io.busy) && was(!outcome.busy) && was(!intake.io.feedback.valid && !newest.valid)
  }
  io.view.idle := RegNext(rests.issuing && rests.edge && rests.repeating && rests.intaking) init False

  Invariant.onward(txBase, "txBase", link.firstSn)
  Invariant.onward(txEdge, "txEdge", link.firstSn)
  Invariant(io.open <= window, "more frames are open than the window has")
  Invariant(
    !SeqNum.isBelow(nextFsn, txBase) && !SeqNum.isBelow(nextTsn, txEdge) && !SeqNum.isBelow(io.head, nextFsn),
    "an edge is beyond what it follows"
  )
  Invariant.when(issue.takes)(nextTsn - intake.io.ackTsn < window, "more outcomes are missing than are kept")
  Invariant.when(issue.takes && !issue.repeats)(
    nextFsn - intake.io.peerRxBase < (U(1, Wire.snBits bits) |<< io.peerWindowLog2),
    "a frame is beyond the peer's credit"
  )
}
