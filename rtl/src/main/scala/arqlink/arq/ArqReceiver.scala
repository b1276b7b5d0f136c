// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink.config.LinkConfig
import arqlink.lib.Invariant
import arqlink.store.StoreWrite
import arqlink.wire._

/** What a control unit of the peer closes: all transmissions with a TSN below `txEdge` have been sent in full. */
case class CloseNotice() extends Bundle {
  val txEdge = Wire.sn
  val poll = Bool()
}

/** Selective-repeat receiver: gathers the units of one transmission at a time and decides its outcome.
  *
  * As the link is FIFO and a transmission's units follow each other, the only collection in progress is in registers. K units
  * make the frame complete; the transmission is closed by its last unit, by a later one, or by the sender's txEdge.
  *
  * A unit takes unitBeats + 1 clocks: its header is compared while its first beat waits in a register, and judged in the next
  * clock, from registers alone. So one is taken in the time that it lasts on a wire of any width. What the table of complete frames
  * knows of it comes another clock later, and takes back what the judgement began.
  */
class ArqReceiver(link: LinkConfig) extends Component {
  import link.code
  private val slotBits = link.window.slotBits
  private val window = link.window.windowFrames

  val io = new Bundle {

    /** Verified data units; dropped unless `accept` and of `epoch`. */
    val unit = slave Stream Fragment(UnitBeat(code))
    val accept = in Bool ()
    val epoch = in UInt (Wire.epochBits bits)

    /** Closes all transmissions with a TSN below. */
    val close = slave Stream CloseNotice()

    /** Pulse: the edge of a poll has been closed and is in `rxNext`. */
    val polled = out Bool ()

    /** Pulse: an edge was within the window; else `closeInvalid` tells. */
    val closeAccepted = out Bool ()
    val rxBase = in(Wire.sn)

    /** Whether the frame of `querySlot` is complete; answered three clocks later. */
    val querySlot = out UInt (slotBits bits)
    val queryComplete = in Bool ()

    val write = master Stream StoreWrite(link)

    /** The user is always ready: the link is not up before its tables are clear. */
    val complete = master Flow Completion(link)

    val rxNext = out(Wire.sn)
    val outcomes = master(OutcomePort(link))

    /** Pulse: outcomes were added. */
    val decided = out Bool ()

    /** Pulse: a data unit of the peer's epoch came. */
    val alive = out Bool ()
    val event = out(new Bundle {
      val clean, repaired, duplicate, outcomeOk, units, surplus, late, invalid, epoch, closeInvalid = Bool()
      val outcomeFailed = UInt(6 bits)
      val attempt = Bits(16 bits)
    })
  }

  val log = new OutcomeLog(link)
  io.outcomes <> log.io.port
  io.rxNext := log.io.next

  /** TSN of the transmission in progress; `log` follows when it has written down what was decided. */
  val next = Reg(Wire.sn) init 0

  /** A window above `next` and above `rxBase`, where beats are wide: in registers, as no sum may stand ahead of a comparison. */
  val nextEnd = code.isWide generate (Reg(Wire.sn) init window)
  val rxEnd = code.isWide generate RegNext(io.rxBase + window)

  // The transmission in progress: TSN = next while `open`.
  val current = new Area {
    val open = RegInit(False)
    val fsn = Reg(Wire.sn)
    val meta = Reg(FrameMeta(code))
    val preset = Reg(UInt(2 bits))
    val attempt = Reg(UInt(Wire.attemptBits bits))
    val only = Reg(Bool())
    val duplicate = Reg(Bool())

    /** Complete, or nothing that has to become so. Stays when the transmission is closed, for a unit of the same frame behind it. */
    val good = RegInit(False)
    val repaired = Reg(Bool())
    val left = Reg(UInt(code.kBits bits))
    val received = Reg(Bits(code.maxN bits))
  }

  object Phase extends SpinalEnum(binaryOneHot) {

    /** Nothing held; compare what is held; judge it; measure its distance anew; pass or drop the rest of the unit. */
    val empty, compare, judge, again, pass, drop = newElement()
  }
  val phase = RegInit(Phase.empty)

  // What is in hand: a beat, with its unit's header, or an edge to close. Its distance to `next` comes with it.
  val close = if (code.area.relaxed) io.close else news(io.close.halfPipe())

  /** An edge takes three clocks. Where a control unit lasts fewer, one that closes nothing, as all in full traffic do, is not taken in
    * hand; `next` may be a clock old, but does not go back.
    */
  private def news(edge: Stream[CloseNotice]): Stream[CloseNotice] =
    if (UnitFormat.controlBeats(code.dataBytes) >= 3) edge
    else {
      val measured = edge.map(notice => TupleBundle(notice, !notice.poll && !Sn.behind(next, notice.txEdge))).m2sPipe()
      measured.throwWhen(measured._2).map(_._1)
    }
  /** The unit taken last was of a frame that is sent only once. */
  val lastOnly = RegInit(False)

  val hand = new Area {
    val tx = Reg(Transmission(code))
    val index = Reg(UInt(code.nBits bits))
    val isClose = Reg(Bool())
    val notice = Reg(CloseNotice())

    /** The frame is announced to be sent only once, and so was the one of the unit taken before: one alone may have passed its CRC by chance. */
    val only = Reg(Bool())
    val data = Reg(Bits(code.dataBits bits))
    val last = Reg(Bool())
    val valid = RegInit(False)

    /** The beat may leave; said a clock before. */
    val mayLeave = RegInit(False)
    val leaves = Bool()
    val between = (phase === Phase.empty) || (leaves && last)
    val take = between || leaves || !valid
    val takesClose = between && close.valid
    val begins = between && (close.valid || io.unit.valid)
    close.ready := between
    io.unit.ready := take && !takesClose
    when(take)(valid := close.valid && between || io.unit.valid)
    when(take) {
      data := io.unit.fragment.data
      last := io.unit.last || between && close.valid
    }
    when(between) {
      tx := io.unit.fragment.header.tx
      index := io.unit.fragment.header.index
      isClose := close.valid
      when(close.valid)(tx.tsn := close.txEdge)
      notice := close.payload
      only := io.unit.fragment.header.tx.only && lastOnly
    }
  }

  // Measured when the first beat comes, and again after transmissions have been closed; an edge is measured `again` at once.
  val measured = new Area {
    // While a unit is measured anew the port still shows its header: its second beat waits.
    val header = io.unit.fragment.header
    val tsn = (phase === Phase.again) ? hand.tx.tsn | header.tx.tsn
    private val renew = phase =/= Phase.compare
    private def keep[T <: Data](x: T) = RegNextWhen(x, renew)
    val tsnAhead = keep(tsn - next)
    // Another sign tells 0 from all above.
    private val belowOne = keep(Sn.distanceLessOne(tsn, next).msb)
    val isZero = belowOne && !tsnAhead.msb
    def isOne: Bool = tsnAhead === 1
    val fsnAhead = keep(header.tx.fsn - io.rxBase)

    // A number that is not behind its base is within a window of it if behind the window's end. A wide link is told so by signs; others
    // look at the bits above the window's, which is less logic, but on a longer path.
    private val closing = phase === Phase.again && hand.isClose
    val tsnFar =
      if (code.isWide) !keep(((tsn @@ False) - (nextEnd @@ closing)).msb) // an edge may be at the end, too
      else Mux(hand.isClose, tsnAhead.dropHigh(1).asUInt > window, tsnAhead.dropHigh(1).dropLow(slotBits).orR)
    val fsnFar = if (code.isWide) !keep(Sn.behind(header.tx.fsn, rxEnd)) else fsnAhead.dropHigh(1).dropLow(slotBits).orR

    /** A data unit of the peer's epoch, and that or an edge. */
    private val isPeers = io.accept && header.epoch === io.epoch
    val accepted = RegNextWhen(isPeers && !close.valid, hand.between)
    val isOurs = RegNextWhen(isPeers || close.valid, hand.between)

    val toEnd = keep(header.tx.n - header.index)

    /** The transmission in progress has this unit. */
    private val (group, place) = (hand.index >> 3, header.index.resize(3))
    private val ofGroup = current.received.subdivideIn(8 bits, strict = false).map(bits => keep(bits.resize(8)(place)))
    def hasUnit: Bool = Vec(ofGroup)(group.resize(log2Up(ofGroup.size)))

    /** Of the frame that is, or was last, in progress; the same as to its code. The unit before has been judged by now. */
    val sameFrame = keep(header.tx.fsn === current.fsn)
    val sameCode = keep(header.tx.meta.k === current.meta.k && header.tx.preset === current.preset)
  }

  /** A clock after a judgement: the table knows the frame, and nothing was in progress that would know better. */
  val answered = Bool()

  // Compared with what the unit before has left; registered for the judgement.
  val compared = new Area {
    import measured._
    private val isLate = tsnAhead.msb
    private val isNext = isZero

    private val passedNow = fsnAhead.msb
    private val beyond = !passedNow && fsnFar
    private val same = sameFrame && sameCode

    private val ahead = !isLate && !isNext
    private val tooFar = tsnFar || !hand.isClose && beyond
    // A frame in progress was within the window when it began.
    private val fits = Mux(current.open, same, !beyond)
    private val nextUnit = accepted && isNext
    private val steps = isOurs && ahead && !tooFar

    val enable = phase === Phase.compare
    private def keep(x: Bool) = RegNextWhen(x, enable)
    val foreign = keep(!isOurs)
    val late = keep(accepted && isLate)
    val misfits = keep(nextUnit && !fits)
    val isTooFar = keep(isOurs && ahead && tooFar)
    val step = keep(steps)

    /** Nothing has to be closed before. */
    val settled = keep(!steps)
    private val belongsNow = nextUnit && fits
    private val endsNow = measured.toEnd === 1
    val isEnd = keep(endsNow)

    // What a unit's payload meets, but for the table's word, which is there two clocks later and is asked for if nothing is in progress.
    // That of the unit before has come by now.
    private val knownNow = passedNow || sameFrame && current.good
    private val goodNow = Mux(current.open, current.good, knownNow)
    val known = keep(knownNow)
    val goodBefore = keep(goodNow)
    val belongs = RegNextWhen(belongsNow, enable)

    /** The unit begins a transmission. */
    val begins = keep(belongsNow && !current.open)
    val fresh = RegNextWhen(
      nextUnit && Mux(current.open, same && !current.good && !hasUnit, !passedNow && !fsnFar && !(sameFrame && current.good)),
      enable
    )
    val closes = RegNextWhen(Mux(belongsNow, endsNow, steps), enable)
    val mortal = keep(Mux(current.open, current.only, belongsNow && hand.only))
    val openGood = keep(current.open && current.good)
    val parity = keep(hand.index >= hand.tx.meta.k)
    val fills = keep(Mux(current.open, current.left === 1, hand.tx.meta.k === 1))

    /** A step closes the transmission in progress alone, or all before the one in hand. */
    val isSingle = keep(isNext || current.open)
    val reaches = keep(Mux(current.open, isOne && !current.only, True))
  }

  // Judgement ------------------------------------------------------------------------------------------------------

  /** A beat on its way to the store, or the end of a transmission without one. */
  val write = new Area {
    val valid, isBeat = RegInit(False)
    val last = Reg(Bool())
    val data = Reg(Bits(code.dataBits bits))
    val beat = Reg(UInt(code.slotBeatBits bits))

    /** With the last beat the frame is complete, or dead. */
    val completes, dies = Reg(Bool())
    val tells = last && (completes || dies)
    // The word of a frame goes with its last beat.
    io.write.valid := valid && isBeat && !answered
    io.write.slot := current.fsn.resize(slotBits)
    io.write.beat := beat
    io.write.data := data
    val completesNow = valid && tells && (io.write.ready || !isBeat)
    val ready = !valid || !isBeat || io.write.ready || answered
    when(valid && isBeat && io.write.ready)(beat := beat + 1)
    // Between two transmissions; a beat that waits keeps its place.
    when(!current.open && phase =/= Phase.pass && ready)(beat := 0)
  }
  io.complete.valid := RegNext(write.completesNow && !answered) init False
  io.complete.dead := RegNext(write.dies)
  io.complete.fsn := RegNext(current.fsn)
  io.complete.frame.meta := RegNext(current.meta)
  io.complete.frame.preset := RegNext(current.preset)
  io.complete.frame.received := RegNext(current.received)

  val judge = new Area {
    import compared._
    val now = phase === Phase.judge

    /** A clock after the judgement: a transmission has begun. */
    private val begun = RegNext(now && compared.begins) init False
    answered := begun && io.queryComplete

    val goodAfter = goodBefore || (fills && fresh)

    /** The outcome of what is closed. */
    val outcome = Mux(belongs, goodAfter, openGood)
    val dies = closes && mortal && !outcome
    val says = fresh || dies

    /** The TSN that is next when what is closed has been closed, and a window above it. */
    val end = isSingle ? (next + 1) | hand.tx.tsn
    val endEnd = code.isWide generate (isSingle ? (nextEnd + 1) | (hand.tx.tsn + window))

    when(now) {
      when(compared.begins) {
        current.open := True
        current.fsn := hand.tx.fsn
        current.preset := hand.tx.preset
        current.only := hand.only
        current.duplicate := known
        current.received := 0
        current.repaired := False
      }
      when(belongs) {
        lastOnly := hand.tx.only
        current.meta := hand.tx.meta
        current.attempt := hand.tx.attempt
        current.good := goodAfter
      }
      when(fresh) {
        current.left := Mux(compared.begins, hand.tx.meta.k, current.left) - 1
        current.received(hand.index.resize(log2Up(code.maxN))) := True
        current.repaired setWhen parity
      }
      when(closes) {
        current.open := False
        next := end
        if (code.isWide) nextEnd := endEnd
      }
    }
    // Nothing is judged in the clock after a judgement with which a transmission begins.
    when(answered) {
      current.good := True
      current.duplicate := True
    }

    val push = now && closes
    Invariant.when(push)(!Sn.behind(end, next), "rxNext goes back")
    Invariant.when(now && fresh && !compared.begins)(current.left =/= 0, "a unit is stored of a frame that is complete")
    log.io.push.valid := RegNext(push) init False
    log.io.push.received := RegNext(outcome) || answered
    log.io.push.end := next // as the judgement has left it
  }

  /** The rest of a unit whose frame the table knows is not written. */
  val isKnown = RegInit(False)
  isKnown := (isKnown || answered) && !hand.between

  val beats = phase === Phase.pass && hand.valid && !answered && !isKnown
  when(write.ready) {
    write.valid := beats || judge.now && judge.says
    write.isBeat := phase === Phase.pass || compared.fresh
    write.last := hand.last || !(phase === Phase.pass || compared.fresh)
    write.data := hand.data
  }
  when(judge.now) {
    write.completes := compared.fresh && compared.fills
    write.dies := judge.dies
  }

  val consumed = judge.now && compared.settled
  private val closed = consumed && hand.isClose
  io.closeAccepted := RegNext(closed && !compared.isTooFar) init False

  /** A poll waits for what it has closed to be written down. */
  val polled = new Area {
    val pending = RegInit(False)
    when(io.polled)(pending := False)
    when(closed && hand.notice.poll)(pending := True)
    io.polled := pending && !log.io.busy
  }
  hand.leaves := hand.valid && hand.mayLeave && (phase =/= Phase.pass || write.ready)
  private val then = phase.getAheadValue()
  hand.mayLeave := then === Phase.pass || then === Phase.drop || then === Phase.judge && compared.settled.getAheadValue()

  switch(phase) {
    is(Phase.compare) {
      // What the unit before had to say has been taken then, so `current` may change.
      when(write.ready && log.io.room)(phase := Phase.judge)
    }
    is(Phase.again)(phase := Phase.compare)
    is(Phase.judge) {
      when(consumed) {
        phase := compared.fresh ? Phase.pass | Phase.drop
      } elsewhen (judge.now) {
        // All that is left to do is known when the step has got to the unit's own transmission.
        when(!compared.reaches)(phase := Phase.again) // what `compared` says is made anew there
      }
    }
  }
  when(!compared.enable) {
    // After a step: what was in progress has been closed; now for the unit in hand, if this was all. Nobody asks otherwise.
    val begins = compared.reaches && !hand.isClose
    compared.step := False
    compared.settled := compared.reaches
    compared.belongs := begins
    compared.begins := begins
    compared.fresh := begins && !compared.known
    compared.goodBefore := compared.known
    compared.closes := begins && compared.isEnd
    compared.mortal := begins && hand.only
    compared.openGood := False
    compared.isSingle := True
    when(current.open)(compared.fills := hand.tx.meta.k === 1)
  }
  when(hand.between) {
    phase := Phase.empty
    when(hand.begins)(phase := Phase.compare)
    when(hand.takesClose)(phase := Phase.again)
  }

  // Events ---------------------------------------------------------------------------------------------------------

  private def pulse(x: Bool) = RegNext(x) init False
  val event = io.event
  val completed = pulse(write.completesNow && !write.dies) && !RegNext(answered)
  event.clean := completed && !RegNext(current.repaired)
  event.repaired := completed && RegNext(current.repaired)
  event.attempt := completed ? RegNext(UIntToOh(current.attempt, 16)) | B(0, 16 bits)
  event.units := pulse(judge.now && compared.fresh) && !answered
  event.surplus := pulse(judge.now && compared.belongs && !compared.fresh) || answered
  event.late := pulse(judge.now && compared.late)
  event.invalid := pulse(judge.now && (compared.misfits || compared.isTooFar && !hand.isClose))
  event.closeInvalid := pulse(judge.now && compared.isTooFar && hand.isClose)
  event.epoch := pulse(judge.now && compared.foreign)
  private val wasKnown = RegNext(Mux(current.open, current.duplicate, compared.belongs && compared.known))
  private val wasAsked = RegNext(!current.open && compared.belongs)
  event.duplicate := log.io.push.valid && (wasKnown || wasAsked && io.queryComplete)
  event.outcomeOk := log.io.push.valid && log.io.push.received
  event.outcomeFailed := log.io.failed
  io.decided := log.io.moved
  io.alive := pulse(judge.now && !hand.isClose && !compared.foreign)

  // Asked for what comes into the hand, and for what is in it when it is measured anew.
  io.querySlot := measured.header.tx.fsn.resize(slotBits)
}
