// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.LinkConfig
import arqlink.lib.{Invariant, SeqNum}
import arqlink.wire.Wire

/** Where packets begin and end. */
case class PacketFlags() extends Bundle {
  val sop, eop = Bool()
}

/** Frames first … last of the packet to `deliver`; all up to last are freed if `release`. */
case class Parcel(link: LinkConfig) extends Bundle {
  val first, last = WindowSn(link)
  val deliver, release = Bool()
}

/** Finds packets that can leave, and frames that never will.
  *
  * The scan goes through the frames in sequence. It ends a packet at eop, or at a frame that the sender has abandoned; what is left of such a
  * packet is dropped. While the scan waits for a frame, packets out of sequence are found from the frames that complete them: forward to their
  * eop, backward to their sop; then their frames are claimed (state `taken`), one by one.
  *
  * Frames are looked up in a pipeline, one a clock, in sequence. When one does not lead on to the next, the look-ups behind it are discarded. What the
  * scan does with the frame that it is at:
  *
  * {{{
  *   frame              parcel                              first     inside  dropping
  *   stored, no eop     none                                stays     true    false
  *   stored, eop        first to here, to deliver           next one  false   false
  *   stored, dropping   this frame, to free                 next one  false   true
  *   skipped            first to here, to free              next one  false   true
  *   not yet decided    none: the scan waits, and meanwhile a candidate is walked
  * }}}
  *
  * A stored frame with sop ends `dropping`. A packet that was claimed out of sequence is delivered already: its parcel only frees.
  *
  * @param flags     where packets begin and end; read in `FrameStates.latency` clocks
  * @param candidate frames that have become complete out of sequence
  */
class PacketWalk(link: LinkConfig, states: FrameStates, flags: UInt => PacketFlags, rxBase: UInt, abandoned: UInt, resolved: UInt, candidate: Stream[UInt])
    extends Area {
  private val slotBits = link.window.slotBits
  private def slotOf(sn: UInt) = sn.resize(slotBits)
  private def windowSn(sn: UInt) = WindowSn.of(link, sn)

  val parcel = Stream(Parcel(link))

  /** All before `scan` has been dealt with but for the packet that it is in, which begins at `first`. */
  val scan = Reg(Wire.sn) init link.firstSn

  /** The frame after it, in a register of its own. */
  private val following = Reg(Wire.sn) init (link.firstSn + 1)
  val first = Reg(WindowSn(link)) init WindowSn.first(link)

  /** The next frame that the scan looks up. */
  val at = Reg(Wire.sn) init link.firstSn

  /** The packet has a window of frames before `scan`; a clock late, and a scan that is so far stays there. */
  private val isEndless = RegNext(SeqNum.isBelow(windowSn(scan), first)) init False

  /** `scan` is in the middle of its packet. */
  val inside = RegInit(False)

  /** Discarding what is left of a packet with a skipped frame; `counted`: a frame of it had come. */
  val dropping, counted = RegInit(False)

  /** Looking at frame `walkAt` of a packet out of sequence, which goes from `walkFirst` to `walkLast`; forward first, then `backward`. */
  val walking, backward = RegInit(False)
  val walkAt, walkFirst, walkLast = Reg(WindowSn(link))

  /** The frames of that packet are claimed; then it is sent. */
  val taking, sending = RegInit(False)

  // The look-up of a frame ----------------------------------------------------------------------------------------

  // The stage of each task. The tables, which are far away, are asked in `ask`, and have answered in `compare`.
  private val (chooseAt, askAt) = (0, 1)
  private val (measureAt, compareAt) = (askAt + 1, askAt + FrameStates.latency)
  private val actAt = compareAt + 1
  private val stages = new StageCtrlPipeline
  val choose = stages.ctrl(chooseAt)
  val ask = stages.ctrl(askAt)
  val measure = stages.ctrl(measureAt)
  val compare = stages.ctrl(compareAt)
  val act = stages.ctrl(actAt)

  val chosen = new choose.Area {
    up.valid := states.clear.done && !taking && !sending
    val frame = insert(walking ? walkAt | windowSn(at))
    when(states.clear.done && !walking)(at := at + 1)

    // Old edges do no harm: a frame cannot become complete once the peer knows that its last transmission failed.
    private def isBelow(edge: UInt) = insert(SeqNum.isBelow(at.resize(edge.getWidth), edge))
    val isGivenUp = isBelow(abandoned)
    val isResolved = isBelow(resolved)
    val isFirst = insert(walkAt === first)
    val next = insert(backward ? (walkAt - 1) | (walkAt + 1))
  }
  private val slot = slotOf(ask(chosen.frame))
  val isInWindow = measure.insert(!SeqNum.isBelow(measure(chosen.frame), windowSn(rxBase)))

  val found = new compare.Area {
    private val state = states.read(slot)
    private val isKnown = this(isInWindow) && !states.isMet(slot)
    val isStored = insert(isKnown && (state === FrameState.complete || state === FrameState.taken))
    val taken = insert(state === FrameState.taken)
    val skipped = insert(isKnown && (state === FrameState.dead || state === FrameState.empty && this(chosen.isGivenUp)))
    val isMissing = insert(isKnown && state === FrameState.empty && this(chosen.isResolved) && !this(chosen.isGivenUp))
    private val place = flags(slot)
    val sop = insert(place.sop)
    val eop = insert(place.eop)

    /** A walk ends without a packet: the frame is not stored; forward, it is claimed already; backward, it is the scan's first and has no sop. */
    val endsWalk = insert(!isStored || (backward ? (!place.sop && this(chosen.isFirst)) | (state === FrameState.taken)))
  }

  // What follows ----------------------------------------------------------------------------------------------------

  parcel.valid := False
  parcel.payload.assignDontCare()
  candidate.ready := False
  states.take.valid := False
  states.take.payload := slotOf(walkAt)

  val acts = new act.Area {
    down.ready := True
    private def is(what: Payload[Bool]): Bool = this(what)
    val scans = up.isValid && !walking
    val looks = up.isValid && walking
    private val (isStored, skips) = (is(found.isStored), is(found.skipped))
    private val (sop, eop) = (is(found.sop), is(found.eop))
    val isSkipped, isDropped = False
    val isContradiction = scans && (is(found.isMissing) || isEndless || isStored && !dropping && inside === sop)

    /** The scan goes on where there is room for a parcel, whether the frame makes one or not. */
    val advances = scans && (isStored || skips) && parcel.ready
    when(scans) {
      when(isStored) {
        // A frame whose packet has lost another frame is dropped by itself.
        val continues = dropping && !sop
        val pushes = continues || eop
        parcel.valid := pushes
        parcel.first := first
        parcel.last := windowSn(scan)
        parcel.deliver := !continues && !is(found.taken)
        parcel.release := True
        when(advances) {
          isDropped := continues && !counted
          counted := continues && !eop
          dropping := continues
          inside := !pushes
        }
      } elsewhen (skips) {
        parcel.valid := True
        parcel.last := windowSn(scan)
        parcel.deliver := False
        parcel.release := True
        when(advances) {
          isSkipped := True
          isDropped := inside
          counted := counted || inside
          dropping := True
          inside := False
        }
      } elsewhen (candidate.valid) {
        // The scan waits for a frame: look whether a later packet is complete.
        candidate.ready := True
        walking := !SeqNum.isBelow(candidate.payload, first)
        backward := False
      }
    }
    when(advances) {
      scan := following
      following := following + 1
      when(parcel.valid)(first := windowSn(following))
    }

    when(looks) {
      backward setWhen eop
      when(backward)(walkFirst := walkAt) otherwise (walkLast := walkAt)
      when(!(backward && sop))(walkAt := (eop && !backward) ? walkFirst | this(chosen.next))
      when(is(found.endsWalk))(walking := False) elsewhen (backward && sop)(taking := True)
    }
    // While nothing is walked, they follow the candidate from which the next walk would begin.
    when(!walking) {
      walkAt := candidate.payload
      walkLast := candidate.payload
      walkFirst := candidate.payload
    }

    // A frame that is stored leads on to the next one.
    private val stops = up.isValid && (walking || !isStored || !parcel.ready)
    when(stops)(at := (!walking && skips && parcel.ready) ? following | scan)
    choose.terminateWhen(stops)
    for (stage <- askAt until actAt) stages.ctrl(stage).throwWhen(stops)
    Invariant.when(scans)(this(chosen.frame) === windowSn(scan), "a frame is looked up out of sequence")
  }

  val take = new Area {
    // Compared in one clock, marked in the next.
    private val isCompared = RegNext(taking && !states.take.fire) init False
    private val isLast = RegNext(walkAt === walkLast)
    private val next = RegNext(walkAt + 1)
    when(taking && isCompared) {
      states.take.valid := True
      when(states.take.ready) {
        walkAt := next
        taking := !isLast
        sending := isLast
      }
    }
    when(sending) {
      parcel.valid := True
      parcel.first := walkFirst
      parcel.last := walkLast
      parcel.deliver := True
      parcel.release := False
      when(parcel.ready) {
        walking := False
        sending := False
      }
    }
  }
  Invariant(!(inside && dropping), "a packet is collected and dropped at once")
  Invariant.when(taking || sending)(walking, "frames are claimed, and no packet is walked")
  stages.build()
}
