// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink._
import arqlink.link._

/** Selective-repeat receiver: gathers the units of one transmission at a time and decides its outcome.
  *
  * As the link is FIFO and a transmission's units follow each other, the only collection in progress is in registers. K units
  * make the frame complete; the transmission is closed by its last unit, by a later one, or by the sender's txEdge.
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
    val close = slave Stream Wire.sn
    val rxBase = in(Wire.sn)

    /** Whether the frame of `querySlot` is complete; answered in the next clock. */
    val querySlot = out UInt (slotBits bits)
    val queryComplete = in Bool ()

    val write = master Stream StoreWrite(link)
    val complete = master Stream Completion(link)

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

  val header = io.unit.fragment.header
  val tx = header.tx

  val log = new OutcomeLog(link)
  io.outcomes <> log.io.port
  io.rxNext := log.io.next

  object Phase extends SpinalEnum {
    val judge, decide, close, payload, commit, skip = newElement()
  }
  val phase = RegInit(Phase.judge)

  // The transmission in progress: TSN = rxNext while `open`.
  val current = new Area {
    val open = RegInit(False)
    val fsn = Reg(Wire.sn)
    val k = Reg(UInt(code.kBits bits))
    val preset = Reg(UInt(2 bits))
    val only = Reg(Bool())
    val duplicate = Reg(Bool())
    val complete = Reg(Bool())
    val count = Reg(UInt(code.kBits bits))
    val received = Reg(Bits(code.maxN bits))
    val writeBeat = Reg(UInt(code.slotBeatBits bits))
    val good = open && (complete || duplicate)
  }

  // Judged for the unit at the input; registered so that each comparison has a clock of its own.
  val judged = new Area {
    val tsnAhead = RegNext(tx.tsn - log.io.next)
    val fsnAhead = RegNext(tx.fsn - io.rxBase)
    val accepted = RegNext(io.accept && header.epoch === io.epoch)
    val same = RegNext(
      current.open && tx.tsn === log.io.next && tx.fsn === current.fsn && tx.meta.k === current.k && tx.preset === current.preset
    )
    val seen = RegNext(current.received(header.index.resize(log2Up(code.maxN))))
    val last = RegNext(header.index + 1 === tx.n)
    val late = tsnAhead.msb
    val tooFar = !late && tsnAhead >= window
    val passed = fsnAhead.msb
    val beyond = !passed && fsnAhead >= window
    val mixed = current.open && tsnAhead === 0 && !same
  }

  // The unit last taken, for what follows it.
  val taken = new Area {
    val meta = Reg(FrameMeta(code))
    val attempt = Reg(UInt(Wire.attemptBits bits))
    val isEnd = Reg(Bool())
  }

  /** The unit being skipped is one of the transmission in progress. */
  val belongs = Reg(Bool())

  val closeTarget = Reg(Wire.sn)
  val closeDistance = RegNext(io.close.payload - log.io.next)

  io.unit.ready := False
  io.close.ready := False
  io.querySlot := tx.fsn.resize(slotBits)

  io.write.valid := False
  io.write.slot := tx.fsn.resize(slotBits)
  io.write.beat := current.writeBeat
  io.write.data := io.unit.fragment.data

  io.complete.valid := False
  io.complete.dead := False
  io.complete.fsn := current.fsn
  io.complete.frame.meta := taken.meta
  io.complete.frame.preset := current.preset
  io.complete.frame.received := current.received

  log.io.push.valid := False
  log.io.push.received := current.good
  log.io.push.failures := 0

  val event = io.event
  for (b <- Seq(event.clean, event.repaired, event.units, event.surplus, event.late, event.invalid, event.epoch, event.closeInvalid))
    b := False
  event.attempt := 0
  event.duplicate := log.io.push.fire && current.open && current.duplicate
  event.outcomeOk := log.io.push.fire && log.io.push.received
  event.outcomeFailed := (log.io.push.fire && !log.io.push.received) ? (log.io.push.failures | (!log.io.push.failures.orR).asUInt.resized) | U(0, 6 bits)
  io.decided := log.io.push.fire
  io.alive := False

  private val dataMissing = Bits(code.maxN bits)
  for (i <- 0 until code.maxN) dataMissing(i) := (if (i < code.maxK) !current.received(i) && U(i) < current.k else False)

  switch(phase) {
    is(Phase.judge) {
      when(io.unit.valid || io.close.valid)(phase := Phase.decide)
    }
    is(Phase.decide) {
      phase := Phase.judge
      when(io.close.valid) {
        closeTarget := io.close.payload
        io.close.ready := True
        when(closeDistance.msb || closeDistance === 0) {
          // an older edge: nothing to close
        } elsewhen (closeDistance > window) {
          event.closeInvalid := True
        } otherwise {
          phase := Phase.close
        }
      } elsewhen (io.unit.valid) {
        closeTarget := tx.tsn
        belongs := False
        when(!judged.accepted) {
          event.epoch := True
          phase := Phase.skip
        } elsewhen (judged.late) {
          event.late := True
          phase := Phase.skip
        } elsewhen (judged.tooFar || judged.beyond || judged.mixed) {
          event.invalid := True
          phase := Phase.skip
        } elsewhen (judged.tsnAhead =/= 0) {
          phase := Phase.close
        } otherwise {
          // The query was asked in the clock before.
          val known = judged.passed || io.queryComplete
          val surplus = Mux(current.open, current.good || judged.seen, known)
          belongs := True
          event.surplus := surplus
          phase := surplus ? Phase.skip | Phase.payload
          when(!current.open) {
            current.open := True
            current.fsn := tx.fsn
            current.k := tx.meta.k
            current.preset := tx.preset
            current.only := tx.only
            current.duplicate := known
            current.complete := False
            current.count := 0
            current.received := 0
            current.writeBeat := 0
          }
        }
        when(judged.accepted)(io.alive := True)
      }
    }
    is(Phase.close) {
      when(log.io.next === closeTarget) {
        phase := Phase.judge
      } otherwise {
        // A frame that will not come again is dead with its only transmission.
        val dies = current.open && current.only && !current.good
        io.complete.valid := dies
        io.complete.dead := True
        log.io.push.valid := !dies || io.complete.ready
        // All that failed in a block is closed in one clock, for units go on coming and few can wait.
        when(!current.open) {
          val left = closeTarget - log.io.next
          val inBlock = U(Wire.blockBits, 6 bits) - log.io.next(4 downto 0)
          log.io.push.failures := Mux(left >= inBlock, inBlock, left.resize(6))
        }
        when(log.io.push.fire)(current.open := False)
      }
    }
    is(Phase.payload) {
      io.write.valid := io.unit.valid
      io.unit.ready := io.write.ready
      when(io.unit.valid && io.write.ready) {
        current.writeBeat := current.writeBeat + 1
        when(io.unit.last) {
          event.units := True
          current.received(header.index.resize(log2Up(code.maxN))) := True
          current.count := current.count + 1
          phase := Phase.judge
          taken.meta := tx.meta
          taken.attempt := tx.attempt
          taken.isEnd := judged.last
          when(current.count + 1 === current.k || judged.last)(phase := Phase.commit)
        }
      }
    }
    is(Phase.commit) {
      when(current.count === current.k && !current.complete) {
        io.complete.valid := True
        when(io.complete.ready) {
          current.complete := True
          event.attempt(taken.attempt) := True
          event.clean := !dataMissing.orR
          event.repaired := dataMissing.orR
          phase := Phase.judge
          when(taken.isEnd) {
            log.io.push.valid := True
            log.io.push.received := True
            current.open := False
          }
        }
      } otherwise {
        val dies = current.only && !current.good
        io.complete.valid := dies
        io.complete.dead := True
        log.io.push.valid := !dies || io.complete.ready
        when(log.io.push.fire) {
          current.open := False
          phase := Phase.judge
        }
      }
    }
    is(Phase.skip) {
      io.unit.ready := True
      when(io.unit.valid && io.unit.last) {
        taken.isEnd := True
        phase := Phase.judge
        when(belongs && judged.last)(phase := Phase.commit)
      }
    }
  }
}
