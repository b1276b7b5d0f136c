// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.LinkConfig
import arqlink.lib.{BlockRam, Invariant, SeqNum}
import arqlink.wire.Wire

/** A frame to be read from the store, decoded and delivered. */
case class DeliveryJob(link: LinkConfig) extends Bundle {
  val slot = UInt(link.window.slotBits bits)
  val frame = ReceivedFrame(link.code)
}

/** Holds complete frames until their packet is complete, and delivers packets: in sequence (`inOrder`) or as soon as they are complete.
  *
  * [[FrameStates]] knows which frames are complete, [[PacketWalk]] finds packets, `delivery` passes their frames on one by one. Everything leaves
  * through one queue, so a slot is freed only after it has been read.
  */
class Resequencer(link: LinkConfig) extends Component {
  import link.code
  private val slotBits = link.window.slotBits
  private val window = link.window.windowFrames

  val io = new Bundle {
    val complete = slave Stream Completion(link)

    /** Whether the frame of `querySlot` is complete, or dead; answered `Resequencer.queryLatency` clocks later. */
    val querySlot = in UInt (slotBits bits)
    val queryComplete = out Bool ()

    /** The peer may have given frames up below `abandoned`, and waits for none below `resolved`. */
    val abandoned, resolved = in(PeerEdges.edgeSn(link))
    val inOrder = in Bool ()

    val job = master Stream DeliveryJob(link)

    /** Pulse: the oldest frame of `job` has been read from the store. */
    val frameRead = in Bool ()

    val rxBase = out(Wire.sn)
    val ready = out Bool ()

    /** The peer believes that a frame was received, and it was not, or a packet has no beginning or no end. */
    val contradiction = out Bool ()
    val event = out(new Bundle {
      val skipped, packetDropped = Bool()
    })
  }
  private def slotOf(sn: UInt) = sn.resize(slotBits)
  private def windowSn(sn: UInt) = WindowSn.of(link, sn)

  val states = new FrameStates(link)
  io.ready := states.clear.done
  io.complete.ready := states.clear.done
  states.decided.valid := io.complete.fire
  states.decided.payload := slotOf(io.complete.fsn)
  states.isDead := io.complete.dead

  // A write to the slot that is asked for makes its frame complete or dead, or frees it: then the frame is behind rxBase from now on.
  io.queryComplete := states.isMet(io.querySlot) || states.read(io.querySlot) =/= FrameState.empty

  // What a read in the clock of a write to the same slot shows is not used.
  val flagRam = BlockRam(PacketFlags(), window)
  val frameRam = BlockRam(ReceivedFrame(code), window)
  private val flags = PacketFlags()
  flags.assignSomeByName(io.complete.frame.meta)
  flagRam.write(slotOf(io.complete.fsn), flags, io.complete.fire)
  frameRam.write(slotOf(io.complete.fsn), io.complete.frame, io.complete.fire)

  // Frames whose packet may leave out of sequence. When the queue is full one is forgotten: its packet leaves with the scan.
  val completed = StreamFifo(WindowSn(link), 16)
  private val candidate = Flow(WindowSn(link))
  candidate.valid := io.complete.fire && !io.complete.dead && !io.inOrder
  candidate.payload := windowSn(io.complete.fsn)
  completed.io.push << candidate.stage().toStream

  val rxBase = Reg(Wire.sn) init link.firstSn
  io.rxBase := rxBase

  val walk = new PacketWalk(link, states, slot => RegNext(flagRam.readSync(slot)), rxBase, io.abandoned, io.resolved, completed.io.pop)
  io.contradiction := RegNext(walk.acts.isContradiction) init False
  io.event.skipped := walk.acts.isSkipped
  io.event.packetDropped := walk.acts.isDropped

  val parcels = StreamFifo(Parcel(link), 4)
  parcels.io.push << walk.parcel.toFlowFire.stage().toStream
  walk.parcel.ready := RegNext(parcels.io.availability > 2) init False // room for this one, and for what came in the two clocks before
  Invariant.when(parcels.io.push.valid)(parcels.io.push.ready, "a parcel has no place")

  // Delivery ------------------------------------------------------------------------------------------------------

  /** What follows once a frame, or nothing (`reads` low), has been read. */
  case class Receipt() extends Bundle {
    val reads, release = Bool()
    val last = WindowSn(link)
  }
  val receipts = StreamFifo(Receipt(), 8)

  /** The frames of a parcel, one a clock: each one's description passes the table and its output register. */
  val delivery = new Area {
    val parcel = parcels.io.pop.halfPipe() // one every other clock is enough: to free a frame takes two
    private val stages = new StageCtrlPipeline
    private val ask = stages.ctrl(0)
    private val read = stages.ctrl(1)
    private val give = stages.ctrl(2)

    private val begun = RegInit(False)
    private val next = Reg(WindowSn(link))
    private val fsn = ask.insert(begun ? next | parcel.first)

    /** Nothing is read of a parcel that only frees. */
    private val reads = ask.insert(parcel.deliver)
    private val isLast = ask.insert(!parcel.deliver || ask(fsn) === parcel.last)
    private val releases = ask.insert(parcel.release)
    private val last = ask.insert(parcel.last)
    ask.up.valid := parcel.valid
    parcel.ready := ask.up.isReady && ask(isLast)
    when(ask.up.isFiring) {
      begun := !ask(isLast)
      next := ask(fsn) + 1
    }
    private val frame = read.insert(frameRam.readSync(slotOf(ask(fsn)), enable = ask.down.isFiring))

    /** There is room for the receipts of all frames in the stages, and for the one that has come meanwhile. */
    ask.haltWhen(!(RegNext(receipts.io.occupancy < 4) init False))
    give.down.ready := io.job.ready || !give(reads)
    io.job.valid := give.isValid && give(reads)
    io.job.slot := slotOf(give(fsn))
    io.job.frame := give(frame)

    receipts.io.push.valid := give.down.isFiring
    receipts.io.push.reads := give(reads)
    receipts.io.push.release := give(releases) && give(isLast)
    receipts.io.push.last := give(last)
    Invariant.when(receipts.io.push.valid)(receipts.io.push.ready, "a frame is read, and its receipt has no place")
    stages.build()
  }

  // Freeing -------------------------------------------------------------------------------------------------------

  val freeing = new Area {

    /** Frames up to this one, without it, may be freed. */
    val target = Reg(WindowSn(link)) init WindowSn.first(link)

    /** Frames that have been read and have no receipt yet. */
    val read = Reg(UInt(4 bits)) init 0
    val receipt = receipts.io.pop
    receipt.ready := !receipt.reads || read =/= 0
    read := read + io.frameRead.asUInt - (receipt.fire && receipt.reads).asUInt
    when(receipt.fire && receipt.release)(target := receipt.last + 1)

    // Compared in one clock, freed in the next.
    val due = RegInit(False)
    due := windowSn(rxBase) =/= target && !states.free.fire
    states.free.valid := due
    states.free.payload := slotOf(rxBase)
    when(states.free.fire)(rxBase := rxBase + 1)
  }

  Invariant.onward(rxBase, "rxBase", link.firstSn)
  Invariant(windowSn(walk.scan) - windowSn(rxBase) <= window, "the scan has left the window")
  Invariant(!SeqNum.isBelow(walk.scan, rxBase), "a slot is freed that has not been dealt with")
  Invariant.when(io.frameRead)(freeing.read =/= 15, "more frames have been read than were asked for")
}

object Resequencer {

  /** Clocks from `querySlot` to `queryComplete`. */
  val queryLatency = FrameStates.latency
}
