// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.LinkConfig
import arqlink.lib.{Invariant, SeqNum}
import arqlink.store.StoreWrite
import arqlink.wire._

/** What a control unit of the peer closes: all transmissions with a TSN below `txEdge` have been sent in full. */
case class CloseNotice() extends Bundle {
  val txEdge = Wire.sn
  val poll = Bool()
}

/** What the receiver counts, a pulse for each event. */
case class ReceiverEvents() extends Bundle {
  val clean, repaired, duplicate, outcomeOk, units, surplus, late, invalid, epoch, forgotten, closeInvalid = Bool()

  /** Transmissions that have failed. */
  val outcomeFailed = Wire.sn
}

/** Selective-repeat receiver: gathers the units of one transmission at a time and decides its outcome.
  *
  * K units make the frame complete; the transmission is closed by its last unit, by a unit of a later one, or by the sender's txEdge.
  *
  * Headers and edges go through a pipeline, one event each. [[UnitClassifier]] says what a unit is, stage `close` closes the transmissions before it, and
  * stage `judge` changes the [[TransmissionInProgress]]: the next arrival is measured after that change. [[UnitMover]] then copies the unit's beats to
  * the frame store, or drops them.
  *
  * @param lasting with the reset of the deframer, whose units outlive a restart
  */
class ArqReceiver(link: LinkConfig, lasting: ClockDomain = ClockDomain.current) extends Component {
  import link.code
  private val slotBits = link.window.slotBits

  val io = new Bundle {

    /** Headers of verified data units; dropped unless `accept` and of `epoch`. */
    val unit = slave Stream UnitHeader(code)

    /** The beats of these units, which are there when the header has been taken. */
    val payload = slave Stream Fragment(Bits(code.dataBits bits))
    val accept = in Bool ()
    val epoch = in UInt (Wire.epochBits bits)

    /** Closes all transmissions with a TSN below. */
    val close = slave Stream CloseNotice()

    /** Pulse: an edge was within the window; otherwise `closeInvalid` has one. */
    val closeAccepted = out Bool ()
    val rxBase = in(Wire.sn)

    /** Whether the frame of `querySlot` is complete; answered `Resequencer.queryLatency` clocks later. */
    val querySlot = out UInt (slotBits bits)
    val queryComplete = in Bool ()

    val write = master Stream StoreWrite(link)

    /** The user is always ready: the link is not up before its tables are clear. */
    val complete = master Flow Completion(link)

    /** Two units say that the incomplete frames below are abandoned. All complete ones have left by `complete`. */
    val givenUp = master Flow Wire.sn

    val view = out(ReceiverView())
    val outcomes = master(OutcomePort(link))

    /** Pulse: a data unit of the peer's epoch came. */
    val alive = out Bool ()
    val event = out(ReceiverEvents())
  }

  // The stage of each task.
  private val (askAt, measureAt, compareAt, closeAt, judgeAt) = (0, 1, 2, 3, 4)
  private val (clocks, beats) = (judgeAt - measureAt + 1, UnitFormat.controlBeats(code.dataBytes) min UnitFormat.dataBeats(code))
  require(clocks <= beats, s"the shortest unit has $beats beats; the receiver takes $clocks clocks for each")
  require(compareAt - askAt == Resequencer.queryLatency, "the table's answer comes with the comparisons")
  private val stages = Seq.fill(judgeAt + 1)(CtrlLink())
  val ask = stages(askAt)
  val measure = stages(measureAt)
  val compare = stages(compareAt)
  val close = stages(closeAt)
  val judge = stages(judgeAt)

  val log = new OutcomeLog(link)
  io.outcomes <> log.io.port
  io.view.rxBase := io.rxBase
  io.view.rxNext := log.io.next
  io.view.recent := log.io.port.recent
  io.view.decided := log.io.moved

  val current = new TransmissionInProgress(link)
  val mover = lasting(new UnitMover(link))
  mover.io.flush := ClockDomain.current.isResetActive
  mover.io.taken := io.unit.fire
  mover.io.payload << io.payload
  io.write << mover.io.write

  // Arrivals: an edge goes before a unit ----------------------------------------------------------------------------

  val ARRIVAL = Payload(Arrival(link))
  val arrivals = new ask.Area {
    private val (edge, unit) = (io.close.halfPipe(), io.unit.halfPipe())
    up.valid := edge.valid || unit.valid
    edge.ready := up.ready
    unit.ready := up.ready && !edge.valid

    up(ARRIVAL).isEdge := edge.valid
    up(ARRIVAL).polls := edge.poll
    up(ARRIVAL).header := unit.payload
    when(edge.valid)(up(ARRIVAL).header.tx.tsn := edge.txEdge)

    // The table is asked about each unit.
    io.querySlot := unit.tx.fsn.resize(slotBits)
  }

  /** The one in the stages behind `measure`. */
  val arrival = RegNextWhen(measure(ARRIVAL), measure.down.isFiring)

  /** One at a time: what is measured is what the one before has left. */
  val isJudging = RegInit(False)
  measure.haltWhen(measure.isValid && (isJudging || !log.io.room))
  isJudging setWhen measure.down.isFiring clearWhen judge.down.isFiring

  /** What the table says about it: there when it comes into `compare`, or before if it has waited in `measure`. */
  val answer = new Area {
    private val comes = Delay(ask.down.isFiring, compareAt - askAt, init = False)
    val isComplete = comes ? io.queryComplete | RegNextWhen(io.queryComplete, comes)
  }

  val classifier = new UnitClassifier(link, current, io.rxBase, io.accept, io.epoch, measure(ARRIVAL), arrival, answer.isComplete)(
    measure,
    compare,
    close
  )

  // Judgement ------------------------------------------------------------------------------------------------------
  //
  // `closes`: the transmission in progress and all before the arrival's are closed; `current` moves to the arrival's TSN. A clock later, or when the mover
  // is free, `judgement.now`: the arrival begins its transmission, belongs to it, or neither; `ends`: it was its last unit. What was closed goes to the
  // log a clock after either.

  /** The last accepted unit was of a last try; and that was the only try, as it was the first. Two units in a row have to be: one may have passed its
    * CRC by chance. The unit's frame is in `current`.
    */
  private val wasLast, wasOnlyTry = RegInit(False)

  /** The transmission in progress is closed, and all up to the arrival's, before the arrival is judged. */
  val closes = close.isValid && close(classifier.decided.closesBefore)
  Invariant.when(close.isValid)(close.down.isFiring, "an arrival waits to be judged, and none is before it")
  when(closes)(current.moveTo(arrival.header.tx.tsn))

  /** The place of the arrival among the units of its frame. */
  private val PLACE = close.insert(UIntToOh(arrival.header.index.resize(log2Up(code.maxN)), code.maxN))

  /** Its frame is below that of the last unit that was accepted: no peer sends that, in what is sent once. */
  private val GOES_BACK = close.insert(SeqNum.isBelow(arrival.header.tx.fsn, current.fsn))

  val judgement = new judge.Area {
    private val verdict = classifier.decided
    private def is[T <: Data](payload: Payload[T]): T = this(payload)

    mover.io.order.valid := up.isValid && !arrival.isEdge
    mover.io.order.slot := arrival.header.tx.fsn.resized
    mover.io.order.begins := is(verdict.begins)
    mover.io.order.writes := is(verdict.isNew)
    mover.io.order.completes := is(verdict.isNew) && is(verdict.completes)
    haltWhen(mover.io.order.isStall)
    val now = down.isFiring

    /** The arrival is a unit, and has its order. */
    private val unitNow = up.isValid && mover.io.order.ready
    private val header = arrival.header
    private val (begins, belongs, stores) = (is(verdict.begins), is(verdict.belongs), is(verdict.isNew))
    private val isGood = is(verdict.wasGood) || stores && is(verdict.completes)
    private val isLast = header.tx.lastTry
    private val isOnlyTry = header.tx.allBelow
    private val areLast = isLast && wasLast

    /** The arrival is the last unit of its transmission. */
    val ends = unitNow && is(verdict.ends)

    when(unitNow && begins)(current.begin(header.tx, is(verdict.wasGood)))
    when(unitNow && belongs) {
      wasLast := isLast
      wasOnlyTry := isOnlyTry
      current.lastTry := areLast
      current.frame.meta := header.tx.meta
      current.isComplete := isGood
    }
    when(unitNow && stores)(current.store(is(PLACE), begins ? header.tx.meta.k | current.missing, is(verdict.parity)))
    when(ends)(current.moveTo(current.next + 1))

    private val received = closes ? (current.open && current.isComplete) | isGood
    log.io.push.valid := RegNext(closes || ends) init False
    log.io.push.received := RegNext(received)
    log.io.push.end := current.next // as the judgement has left it

    /** The frame of what is closed never becomes complete. */
    val becomesDead = (RegNext(closes, init = False) && RegNext(current.open && current.lastTry && !current.isComplete)) ||
      (RegNext(ends, init = False) && RegNext(areLast && !isGood))
    io.givenUp.valid := RegNext(unitNow && belongs && isOnlyTry && wasOnlyTry) init False
    io.givenUp.payload := RegNext(is(GOES_BACK) ? header.tx.fsn | current.fsn)
    val wasDuplicate = RegNext(closes ? (current.open && current.duplicate) | (begins ? is(verdict.wasGood) | current.duplicate))
    Invariant.when(closes)(!now, "two arrivals are dealt with at once")
  }

  Invariant.when(io.givenUp.valid)(!SeqNum.isBelow(current.fsn, io.givenUp.payload), "a frame is given up, and has yet to be complete")

  // Its frame stays in `current` until its beats have left.
  Invariant(!(mover.io.completes && judgement.becomesDead), "two frames end in one clock")
  io.complete.valid := mover.io.completes || judgement.becomesDead
  io.complete.dead := judgement.becomesDead
  io.complete.fsn := current.fsn
  io.complete.frame := current.frame

  // What others see -------------------------------------------------------------------------------------------

  val events = new judge.Area {
    import classifier.decided._
    private val now = judgement.now
    private def pulse(x: Bool) = RegNext(x) init False
    private val event = io.event
    // Of a complete frame, a clock later: the mover tells late in its clock.
    private val isComplete = RegNext(mover.io.completes) init False
    private val isRepaired = RegNext(current.repaired)
    event.clean := pulse(isComplete && !isRepaired)
    event.repaired := pulse(isComplete && isRepaired)
    event.units := pulse(now && this(isNew))
    event.surplus := pulse(now && this(belongs) && !this(isNew))
    event.late := pulse(now && this(late))
    event.invalid := pulse(now && this(isInvalid) && !arrival.isEdge)
    event.closeInvalid := pulse(now && this(isInvalid) && arrival.isEdge)
    event.epoch := pulse(now && this(isForeign))
    event.forgotten := mover.io.drops
    event.duplicate := log.io.push.valid && judgement.wasDuplicate
    event.outcomeOk := log.io.push.valid && log.io.push.received
    event.outcomeFailed := log.io.failed
    // A poll waits for what it has closed to be written down.
    io.view.polled := Delay(now && arrival.isEdge && arrival.polls, OutcomeLog.latency, init = False)
    io.closeAccepted := pulse(now && arrival.isEdge && !this(isInvalid))
    io.alive := pulse(now && !arrival.isEdge && !this(isForeign))
  }
  // No stage is skipped: `ready` depends on nothing but the halts.
  Builder(stages ++ stages.zip(stages.tail).map { case (from, to) => StageLink(from.down, to.up).withoutCollapse() })
}
