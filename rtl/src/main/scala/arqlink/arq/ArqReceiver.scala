// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.LinkConfig
import arqlink.lib.Invariant
import arqlink.store.StoreWrite
import arqlink.wire._

/** What a control unit of the peer closes: all transmissions with a TSN below `txEdge` have been sent in full. */
case class CloseNotice() extends Bundle {
  val txEdge = Wire.sn
  val poll = Bool()
}

/** What the receiver counts, a pulse for each event. */
case class ReceiverEvents() extends Bundle {
  val clean, repaired, duplicate, outcomeOk, units, surplus, late, invalid, epoch, closeInvalid = Bool()

  /** Transmissions that have failed. */
  val outcomeFailed = Wire.sn

  /** One bit, of a frame that has become complete. */
  val attempt = Bits(1 << Wire.attemptBits bits)
}

/** Selective-repeat receiver: gathers the units of one transmission at a time and decides its outcome.
  *
  * K units make the frame complete; the transmission is closed by its last unit, by a unit of a later one, or by the sender's txEdge.
  *
  * Beats go through a pipeline. A unit is classified by its first beat ([[UnitClassifier]]). Stage `close` closes the transmissions before
  * the unit's, stage `judge` changes the [[TransmissionInProgress]], and in stage `store` the beats of a unit that the frame lacks are
  * written. The next unit is measured after that change.
  */
class ArqReceiver(link: LinkConfig) extends Component {
  import link.code
  private val slotBits = link.window.slotBits

  val io = new Bundle {

    /** Verified data units; dropped unless `accept` and of `epoch`. */
    val unit = slave Stream Fragment(UnitBeat(code))
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

    val view = out(ReceiverView())
    val outcomes = master(OutcomePort(link))

    /** Pulse: a data unit of the peer's epoch came. */
    val alive = out Bool ()
    val event = out(ReceiverEvents())
  }

  // The stage of each task. Units of eight beats or more hide two further stages.
  private val askAt = 0
  private val measureAt = askAt + 1
  private val compareAt = measureAt + 1
  private val step = if (code.unitBeats < 8) 0 else 1
  private val decideAt = compareAt + step
  private val closeAt = decideAt + step
  private val judgeAt = closeAt + 1
  private val storeAt = judgeAt + 1
  private val stages = Seq.fill(storeAt + 1)(CtrlLink())
  val ask = stages(askAt)
  val measure = stages(measureAt)
  val compare = stages(compareAt)
  val decide = stages(decideAt)
  val close = stages(closeAt)
  val judge = stages(judgeAt)
  val store = stages(storeAt)

  val log = new OutcomeLog(link)
  io.outcomes <> log.io.port
  io.view.rxBase := io.rxBase
  io.view.rxNext := log.io.next
  io.view.recent := log.io.port.recent
  io.view.decided := log.io.moved

  val current = new TransmissionInProgress(link)

  // Arrivals: an edge goes before a unit, never into one ----------------------------------------------------------

  val FIRST, LAST = Payload(Bool())
  val DATA = Payload(Bits(code.dataBits bits))
  val ARRIVAL = Payload(Arrival(link))
  val arrivals = new ask.Area {
    private val close = io.close.halfPipe()
    private val isFirst = RegInit(True)

    /** An edge goes next: one waits, or did so a clock before, and no unit is in progress. */
    private val takesEdge = RegInit(False)
    up.valid := takesEdge ? close.valid | io.unit.valid
    close.ready := takesEdge && up.ready
    io.unit.ready := !takesEdge && up.ready
    when(io.unit.fire)(isFirst := io.unit.last)
    takesEdge := isFirst.getAheadValue() && close.valid && !close.ready
    Invariant.when(takesEdge)(isFirst, "an edge goes into a unit")

    up(FIRST) := isFirst
    up(LAST) := takesEdge || io.unit.last
    up(DATA) := io.unit.data
    up(ARRIVAL).isEdge := takesEdge
    up(ARRIVAL).polls := close.poll
    up(ARRIVAL).header := io.unit.header
    when(takesEdge)(up(ARRIVAL).header.tx.tsn := close.txEdge)

    // The table is asked about each first beat.
    io.querySlot := io.unit.header.tx.fsn.resize(slotBits)
    private val waits = io.unit.valid && isFirst
    private val isAsked = (compareAt - askAt until Resequencer.queryLatency).foldLeft(waits)((asked, _) => RegNext(asked && !io.unit.fire) init False)
    haltWhen(waits && !takesEdge && !isAsked)
  }

  /** One at a time: what is measured is what the one before has left. */
  val isJudging = RegInit(False)
  measure.haltWhen(measure.isValid && measure(FIRST) && (isJudging || !log.io.room))
  isJudging setWhen (measure.down.isFiring && measure(FIRST)) clearWhen (judge.down.isFiring && judge(FIRST))

  /** The one in the stages behind `measure`. */
  val arrival = RegNextWhen(measure(ARRIVAL), measure.down.isFiring && measure(FIRST))

  /** What the table says about it: there when it comes into `compare`, or before if it has waited in `measure`. */
  val answer = new Area {
    private val comes = Delay(ask.down.isFiring && ask(FIRST), compareAt - askAt, init = False)
    val isComplete = comes ? io.queryComplete | RegNextWhen(io.queryComplete, comes)
  }

  val classifier = new UnitClassifier(link, current, io.rxBase, io.accept, io.epoch, measure(ARRIVAL), arrival, answer.isComplete)(
    measure,
    compare,
    decide
  )

  // Judgement ------------------------------------------------------------------------------------------------------
  //
  // Clock t: `closes`. The transmission in progress and all before the arrival's are closed; `current` moves to the arrival's TSN.
  // t + 1: `judgement.now`. The arrival begins its transmission, belongs to it, or neither; the outcome of `closes` goes to the log.
  // t + 2: if the arrival was its transmission's last unit (`ends`), that outcome goes to the log; `current` has moved to the next TSN.

  /** The last unit accepted was of type 2, of a frame that is sent only once. Two in a row have to be: one may have passed its CRC by chance. */
  private val lastOnly = RegInit(False)

  /** The transmission in progress is closed, and all up to the arrival's, a clock before the arrival is judged. */
  val closes = close.down.isFiring && close(FIRST) && close(classifier.decided.closesBefore)
  when(closes)(current.moveTo(arrival.header.tx.tsn))

  /** What the judgement does, from few registers: it enables many. */
  val acts = new close.Area {
    import classifier.decided
    private def first(what: Payload[Bool]) = insert(this(FIRST) && this(what))
    val begins = first(decided.begins)
    val belongs = first(decided.belongs)
    val stores = first(decided.isNew)
    val ends = insert(this(FIRST) && this(decided.belongs) && this(decided.ends))
  }

  /** The place of the arrival among the units of its frame. */
  private val PLACE = close.insert(UIntToOh(arrival.header.index.resize(log2Up(code.maxN)), code.maxN))

  /** The unit's beats are written; with the last of them the frame is complete. */
  val WRITES, COMPLETES = Payload(Bool())
  val judgement = new judge.Area {
    private val verdict = classifier.decided
    private def is[T <: Data](payload: Payload[T]): T = this(payload)

    val now = down.isFiring && is(FIRST)
    private val header = arrival.header
    private val (begins, belongs, stores) = (is(acts.begins), is(acts.belongs), is(acts.stores))
    private val isGood = is(verdict.wasGood) || stores && is(verdict.completes)
    private val isOnly = begins ? (header.tx.only && lastOnly) | current.only

    /** The arrival is the last unit of its transmission. */
    val ends = down.isFiring && is(acts.ends)

    // The unit's other beats follow it.
    private val storing, completing = Reg(Bool())
    when(now) {
      storing := stores
      completing := stores && is(verdict.completes)
    }
    down(WRITES) := stores || !is(FIRST) && storing
    down(COMPLETES) := !is(FIRST) && completing && is(LAST)

    when(down.isFiring && begins)(current.begin(header.tx, isOnly, is(verdict.wasGood)))
    when(down.isFiring && belongs) {
      lastOnly := header.tx.only
      current.frame.meta := header.tx.meta
      current.attempt := header.tx.attempt
      current.isComplete := isGood
    }
    when(down.isFiring && stores)(current.store(is(PLACE), begins ? header.tx.meta.k | current.missing, is(verdict.parity)))
    when(ends)(current.moveTo(current.next + 1))

    private val received = closes ? (current.open && current.isComplete) | isGood
    log.io.push.valid := RegNext(closes || ends) init False
    log.io.push.received := RegNext(received)
    log.io.push.end := current.next // as the judgement has left it

    /** The frame of what is closed never becomes complete. */
    val becomesDead = (RegNext(closes, init = False) && RegNext(current.open && current.only && !current.isComplete)) ||
      (RegNext(ends, init = False) && RegNext(isOnly && !isGood))
    val wasDuplicate = RegNext(closes ? (current.open && current.duplicate) | (begins ? is(verdict.wasGood) | current.duplicate))
    Invariant.when(closes)(!now, "two arrivals are dealt with at once")
  }

  // Its transmission is in `current` from here on ------------------------------------------------------------------

  val written = new store.Area {
    val beat = Reg(UInt(code.slotBeatBits bits))
    io.write.valid := up.isValid && this(WRITES)
    io.write.slot := current.fsn.resize(slotBits)
    io.write.beat := beat
    io.write.data := this(DATA)
    haltWhen(io.write.valid && !io.write.ready)
    down.ready := True
    when(io.write.fire)(beat := beat + 1)
    when(judge.down.isFiring && judge(acts.begins))(beat := 0)

    val completes = down.isFiring && this(COMPLETES)
    Invariant(!(completes && judgement.becomesDead), "two frames end in one clock")
    io.complete.valid := completes || judgement.becomesDead
    io.complete.dead := judgement.becomesDead
    io.complete.fsn := current.fsn
    io.complete.frame := current.frame
  }

  // What others see -------------------------------------------------------------------------------------------

  /** A poll waits for what it has closed to be written down. */
  val polls = new Area {
    private val pending = RegInit(False)
    private val isWritten = pending && !log.io.busy
    when(isWritten)(pending := False)
    when(judgement.now && arrival.isEdge && arrival.polls)(pending := True)
    io.view.polled := RegNext(isWritten) init False
  }

  val events = new judge.Area {
    import classifier.decided._
    private val now = judgement.now
    private def pulse(x: Bool) = RegNext(x) init False
    private val event = io.event
    private val isComplete = written.completes
    event.clean := pulse(isComplete && !current.repaired)
    event.repaired := pulse(isComplete && current.repaired)
    event.attempt := RegNext(isComplete ? UIntToOh(current.attempt, 16) | B(0, 16 bits)) init 0
    event.units := pulse(down.isFiring && this(acts.stores))
    event.surplus := pulse(now && this(belongs) && !this(isNew))
    event.late := pulse(now && this(late))
    event.invalid := pulse(now && this(isInvalid) && !arrival.isEdge)
    event.closeInvalid := pulse(now && this(isInvalid) && arrival.isEdge)
    event.epoch := pulse(now && this(isForeign))
    event.duplicate := log.io.push.valid && judgement.wasDuplicate
    event.outcomeOk := log.io.push.valid && log.io.push.received
    event.outcomeFailed := log.io.failed
    io.closeAccepted := pulse(now && arrival.isEdge && !this(isInvalid))
    io.alive := pulse(now && !arrival.isEdge && !this(isForeign))
  }
  // No stage is skipped: `ready` depends on nothing but the halts.
  Builder(stages ++ stages.zip(stages.tail).map { case (from, to) => StageLink(from.down, to.up).withoutCollapse() })
}
