// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink.config.LinkConfig
import arqlink.lib.{Invariant, TableClear}
import arqlink.wire.{Sn, Wire}

/** A frame to be read from the store, decoded and handed on. */
case class DeliveryJob(link: LinkConfig) extends Bundle {
  val slot = UInt(link.window.slotBits bits)
  val frame = ReceivedFrame(link.code)
}

/** Holds complete frames until their packet is complete, and hands packets on: in sequence (`inOrder`) or as soon as they
  * are complete.
  *
  * The scan goes through the frames in sequence. It ends a packet at eop, or at a frame that the sender has given up
  * (incomplete and below `peerTxBase`); what is left of such a packet is dropped. Packets out of sequence are found from the
  * frames that complete them. Everything leaves through one queue, so a slot is freed only after it has been read.
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
    val abandoned, resolved = in(PeerEdges.near(link))
    val inOrder = in Bool ()

    val job = master Stream DeliveryJob(link)

    /** Pulse: the oldest frame handed over has been read from the store. */
    val frameRead = in Bool ()

    val rxBase = out(Wire.sn)
    val ready = out Bool ()

    /** The peer takes a frame for received that is not, or a packet has no beginning or no end. */
    val contradiction = out Bool ()
    val event = out(new Bundle {
      val skipped, packetDropped = Bool()
    })
  }

  private def slotOf(sn: UInt) = sn.resize(slotBits)

  /** Within the window one bit more than a slot's number tells two frames apart. */
  private def near(sn: UInt) = sn.resize(slotBits + 1)
  private def Near = UInt(slotBits + 1 bits)

  object State {
    val empty = B"00"
    val complete = B"01"

    /** On its way out, out of sequence. */
    val taken = B"10"

    /** Never to be complete. */
    val dead = B"11"
  }

  case class Flags() extends Bundle {
    val sop, eop = Bool()
  }

  /** Frames first … last of the packet to `deliver`; all up to last are freed if `release`. */
  case class Parcel() extends Bundle {
    val first, last = Near
    val deliver, release = Bool()
  }

  val stateRam = Mem(Bits(2 bits), window)
  val flagRam = Mem(Flags(), window)
  val frameRam = Mem(ReceivedFrame(code), window)
  // What a read in the clock of a write to the same slot shows is not used.
  for (ram <- Seq(stateRam, flagRam, frameRam)) {
    ram.addAttribute("no_rw_check")
    ram.addAttribute("ram_style", "block")
  }

  val clear = new TableClear(slotBits)
  io.ready := clear.done

  /** What has become complete or dead. */
  val told = new Area {
    val valid = io.complete.fire
    val fsn = near(io.complete.fsn)
    val dead = io.complete.dead
    val frame = io.complete.frame
  }

  // The table's one write port: completions first, then the walk, then freeing.
  val port = new Area {
    val walk, free = Bool()
    val walkSlot, freeSlot = UInt(slotBits bits)
    val walkGranted = !told.valid && clear.done
    val freeGranted = walkGranted && !walk
    val slot = told.valid ? slotOf(told.fsn) | (walk ? walkSlot | freeSlot)
    val address = clear.done ? slot | clear.address
    val data = (!clear.done) ? State.empty | (told.valid ? (told.dead ? State.dead | State.complete) | (walk ? State.taken | State.empty))
    val enable = !clear.done || told.valid || walk || free

    // Written a clock later, as the choice is late.
    private val written = RegNext(enable) init False
    private val place = RegNext(address)
    stateRam.write(place, RegNext(data), written)
    private val writtenBefore = RegNext(written) init False
    private val placeBefore = RegNext(place)

    /** A read of `slot` meets a write, or comes in the clock before: tells so when the read's data is there. */
    def meets(slot: UInt): Bool = {
      val read = RegNext(slot)
      RegNext(written && place === read || writtenBefore && placeBefore === read) init False
    }
  }

  val query = new Area {
    val state = RegNext(stateRam.readSync(io.querySlot))
    // A write to the same slot makes it complete or dead, or frees it: then the frame is behind rxBase from now on.
    io.queryComplete := port.meets(io.querySlot) || state =/= State.empty
  }

  private val completedFlags = Flags()
  completedFlags.sop := told.frame.meta.sop
  completedFlags.eop := told.frame.meta.eop
  flagRam.write(slotOf(told.fsn), completedFlags, told.valid)
  frameRam.write(slotOf(told.fsn), told.frame, told.valid)

  // Frames whose packet may leave out of sequence. When the queue is full one is forgotten: its packet leaves with the scan.
  val completed = StreamFifo(Near, 16)
  completed.io.push.valid := told.valid && !told.dead && !io.inOrder
  completed.io.push.payload := told.fsn
  io.complete.ready := clear.done

  val parcels = StreamFifo(Parcel(), 4)
  if (code.area.relaxed) parcels.logic.ram.addAttribute("ram_style", "block")
  parcels.io.push.valid := False
  parcels.io.push.payload.assignDontCare()

  val rxBase = Reg(Wire.sn) init 0

  // The walk ------------------------------------------------------------------------------------------------------
  val walk = new Area {
    object Phase extends SpinalEnum(binaryOneHot) {

      /** Two clocks of the tables, one that compares; act on what was found; mark a packet as taken; send it. */
      val array, output, compare, act, take, send = newElement()
    }
    val phase = RegInit(Phase.array)

    /** All before `scan` has been dealt with but for the packet that it is in, which begins at `first`. */
    val scan = Reg(Wire.sn) init 0
    val first = Reg(Near) init 0

    /** Discarding what is left of a packet with a skipped frame; `counted`: a frame of it had come. */
    val dropping, counted = RegInit(False)

    /** `scan` is in the middle of its packet. */
    val inside = RegInit(False)

    /** A look at frame `at`, whose packet goes from `low` to `high`; forward first, then `backward`. */
    val elsewhere, backward = RegInit(False)
    val at, low, high = Reg(Near)

    // `at` stands for two clocks or more.
    val atFirst = RegNext(at === first)
    val atHigh = RegNext(at === high)
    val atNext = RegNext((backward && phase =/= Phase.take) ? (at - 1) | (at + 1))
    val stands = RegInit(False)
    stands := False

    val address = elsewhere ? at | near(scan)
    val state = RegNext(stateRam.readSync(slotOf(address)))
    val flags = RegNext(flagRam.readSync(slotOf(address)))

    // The address stands until the phase after `compare`, so these may take their time.
    val inWindow = RegNext(!(address - near(rxBase)).msb)
    // No frame becomes complete after the peer has been told that its last transmission failed, so how old the edges are does not matter.
    private def scanIsBelow(edge: UInt) = RegNext((scan.resize(edge.getWidth) - edge).msb) init False
    val givenUp = scanIsBelow(io.abandoned)
    val isOwed = scanIsBelow(io.resolved)
    val known = inWindow && !port.meets(slotOf(address))
    val here = RegNext((state === State.complete || state === State.taken) && known)
    val taken = RegNext(state === State.taken)
    val skipped = RegNext(known && (state === State.dead || state === State.empty && givenUp))
    val sop = RegNext(flags.sop)
    val eop = RegNext(flags.eop)
    val isMissing = RegNext(known && state === State.empty && isOwed && !givenUp)

    /** The packet has a window of frames before this one. */
    val isEndless = RegNext((near(scan) - first).msb)

    io.event.skipped := False
    io.event.packetDropped := False
    port.walk := phase === Phase.take && stands
    port.walkSlot := slotOf(at)
    completed.io.pop.ready := False

    val advance = False
    private val act = phase === Phase.act
    private val isAstray = here && !dropping && inside === sop
    io.contradiction := RegNext(act && !elsewhere && (isMissing || isEndless || isAstray)) init False
    private val room = parcels.io.push.ready
    when(act && !elsewhere) {
      when(here) {
        val continues = dropping && !sop
        val pushes = continues || eop
        parcels.io.push.valid := pushes
        parcels.io.push.first := first
        parcels.io.push.last := near(scan)
        parcels.io.push.deliver := !continues && !taken
        parcels.io.push.release := True
        advance := !pushes || room
        when(advance) {
          // A frame whose packet has lost another one.
          io.event.packetDropped := continues && !counted
          counted := continues && !eop
          dropping := continues
          inside := !pushes
        }
      } elsewhen (skipped) {
        parcels.io.push.valid := True
        parcels.io.push.last := near(scan)
        parcels.io.push.deliver := False
        parcels.io.push.release := True
        advance := room
        when(advance) {
          io.event.skipped := True
          io.event.packetDropped := inside
          counted := counted || inside
          dropping := True
          inside := False
        }
      } elsewhen (completed.io.pop.valid) {
        // The scan waits for a frame: look whether a later packet is complete.
        high := completed.io.pop.payload
        low := completed.io.pop.payload
        completed.io.pop.ready := True
        when(!(completed.io.pop.payload - first).msb) {
          elsewhere := True
          backward := False
        }
      }
    }
    when(advance) {
      scan := scan + 1
      when(parcels.io.push.valid)(first := near(scan) + 1)
    }
    when(act && elsewhere) {
      when(!here || (!backward && taken) || (backward && !sop && atFirst)) {
        elsewhere := False
      } elsewhen (!backward) {
        when(eop) {
          high := at
          backward := True
        }
      } elsewhen (sop) {
        low := at
      }
    }
    // Said for the case that the look goes on; otherwise nobody asks for `at`.
    when(act) {
      when(!elsewhere)(at := completed.io.pop.payload)
        .elsewhen(!backward)(at := eop ? low | atNext)
        .elsewhen(!sop)(at := atNext)
    }
    switch(phase) {
      is(Phase.array)(when(clear.done)(phase := Phase.output))
      is(Phase.output)(phase := Phase.compare)
      is(Phase.compare)(phase := Phase.act)
      is(Phase.act) {
        // Looked up anew whenever there was something to act on, even where it had to wait: what has been done is known late.
        when(elsewhere && here && backward && sop)(phase := Phase.take)
          .elsewhen(elsewhere || here || skipped || completed.io.pop.valid)(phase := Phase.array)
      }
      is(Phase.take) {
        stands := !(stands && port.walkGranted)
        when(stands && port.walkGranted) {
          at := atNext
          when(atHigh)(phase := Phase.send)
        }
      }
      is(Phase.send) {
        parcels.io.push.valid := True
        parcels.io.push.first := low
        parcels.io.push.last := high
        parcels.io.push.deliver := True
        parcels.io.push.release := False
        when(room) {
          elsewhere := False
          phase := Phase.array
        }
      }
    }
  }

  // Delivery ------------------------------------------------------------------------------------------------------

  /** What follows once a frame, or nothing (`reads` low), has been read. */
  case class Receipt() extends Bundle {
    val reads, release = Bool()
    val last = Near
  }
  val receipts = StreamFifo(Receipt(), 8)
  if (code.area.relaxed) receipts.logic.ram.addAttribute("ram_style", "block")

  val delivery = new Area {
    val parcel = parcels.io.pop.halfPipe()
    val active = RegInit(False)
    val fsn = Reg(Near)

    /** Clocks since `fsn` has stood: two for the table. */
    val looked, loaded = RegInit(False)
    val frame = RegNext(frameRam.readSync(slotOf(fsn)))
    val isLast = RegNext(fsn === parcel.last)

    when(!active && parcel.valid && parcel.deliver) {
      active := True
      fsn := parcel.first
    }
    looked := active && !io.job.fire
    loaded := looked && !io.job.fire

    /** A clock old: there is room for what comes meanwhile, too. */
    val hasRoom = RegNext(receipts.io.occupancy < 6) init False

    io.job.valid := loaded && hasRoom
    io.job.slot := slotOf(fsn)
    io.job.frame := frame
    val nothing = parcel.valid && !parcel.deliver && !active && hasRoom
    receipts.io.push.valid := io.job.fire || nothing
    receipts.io.push.reads := !nothing
    receipts.io.push.release := parcel.release && (nothing || isLast)
    receipts.io.push.last := parcel.last
    parcel.ready := (io.job.fire && isLast) || nothing
    when(io.job.fire) {
      fsn := fsn + 1
      when(isLast)(active := False)
    }
  }

  // Freeing -------------------------------------------------------------------------------------------------------
  val free = new Area {
    val target = Reg(Near) init 0
    val read = Reg(UInt(4 bits)) init 0
    val receipt = receipts.io.pop
    receipt.ready := !receipt.reads || read =/= 0
    read := read + io.frameRead.asUInt - (receipt.fire && receipt.reads).asUInt
    when(receipt.fire && receipt.release)(target := receipt.last + 1)

    // Compared in one clock, freed in the next.
    val due = RegInit(False)
    due := near(rxBase) =/= target && !port.free
    port.free := due && port.freeGranted
    port.freeSlot := slotOf(rxBase)
    when(port.free)(rxBase := rxBase + 1)
  }
  io.rxBase := rxBase

  Invariant(near(walk.scan) - near(rxBase) <= window, "the scan has left the window")
  Invariant(!Sn.behind(walk.scan, rxBase), "a slot is freed that has not been dealt with")
  Invariant.when(io.frameRead)(free.read =/= 15, "more frames have been read than were handed over")
}

object Resequencer {

  /** Clocks from `querySlot` to `queryComplete`: the table, and its output register. */
  val queryLatency = 2
}
