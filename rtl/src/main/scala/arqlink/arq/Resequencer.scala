// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink._
import arqlink.link._

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
    val querySlot = in UInt (slotBits bits)
    val queryComplete = out Bool ()
    val peerTxBase = in(Wire.sn)
    val inOrder = in Bool ()

    val job = master Stream DeliveryJob(link)

    /** Pulse: the oldest frame handed over has been read from the store. */
    val frameRead = in Bool ()

    val rxBase = out(Wire.sn)
    val ready = out Bool ()
    val event = out(new Bundle {
      val skipped, packetDropped = Bool()
    })
  }

  private def slotOf(sn: UInt) = sn.resize(slotBits)

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
    val first, last = Wire.sn
    val deliver, release = Bool()
  }

  val stateRam = Mem(Bits(2 bits), window)
  val flagRam = Mem(Flags(), window)
  val frameRam = Mem(ReceivedFrame(code), window)

  val clear = new TableClear(slotBits)
  io.ready := clear.done
  io.queryComplete := stateRam.readSync(io.querySlot) =/= State.empty

  // The table's one write port: completions first, then the walk, then freeing.
  val port = new Area {
    val walk, free = Bool()
    val walkSlot, freeSlot = UInt(slotBits bits)
    val byCompletion = io.complete.fire
    val walkGranted = !byCompletion && clear.done
    val freeGranted = walkGranted && !walk
    val slot = byCompletion ? slotOf(io.complete.fsn) | (walk ? walkSlot | freeSlot)
    stateRam.write(
      address = clear.done ? slot | clear.address,
      data = (!clear.done) ? State.empty | (byCompletion ? (io.complete.dead ? State.dead | State.complete) | (walk ? State.taken | State.empty)),
      enable = !clear.done || byCompletion || walk || free
    )
  }

  private val completedFlags = Flags()
  completedFlags.sop := io.complete.frame.meta.sop
  completedFlags.eop := io.complete.frame.meta.eop
  flagRam.write(slotOf(io.complete.fsn), completedFlags, io.complete.fire)
  frameRam.write(slotOf(io.complete.fsn), io.complete.frame, io.complete.fire)

  // Frames whose packet may leave out of sequence. When the queue is full one is forgotten: its packet leaves with the scan.
  val completed = StreamFifo(Wire.sn, 16)
  completed.io.push.valid := io.complete.valid && !io.complete.dead && !io.inOrder && clear.done
  completed.io.push.payload := io.complete.fsn
  io.complete.ready := clear.done

  val parcels = StreamFifo(Parcel(), 4)
  parcels.io.push.valid := False
  parcels.io.push.payload.assignDontCare()

  val rxBase = Reg(Wire.sn) init 0

  // The walk ------------------------------------------------------------------------------------------------------
  val walk = new Area {
    object Phase extends SpinalEnum {
      val start, scan, scanned, forward, forwarded, backward, backed, take, send = newElement()
    }
    val phase = RegInit(Phase.start)

    /** The packet that the scan is in begins at `first`; all before it has been dealt with. */
    val first, scan = Reg(Wire.sn) init 0

    /** Discarding what is left of a packet with a skipped frame; `counted`: a frame of it had come. */
    val dropping, counted = RegInit(False)

    /** A look elsewhere: from frame `at`, whose packet goes from `low` to `high`. */
    val at, low, high = Reg(Wire.sn)

    val address = Wire.sn
    address := (phase === Phase.start || phase === Phase.scan) ? scan | at
    val state = stateRam.readSync(slotOf(address))
    val flags = flagRam.readSync(slotOf(address))
    val inWindow = RegNext((address - rxBase) < window)
    val here = (state === State.complete || state === State.taken) && inWindow
    val givenUp = RegNext(Sn.behind(address, io.peerTxBase))
    val skipped = inWindow && (state === State.dead || state === State.empty && givenUp)

    io.event.skipped := False
    io.event.packetDropped := False
    port.walk := False
    port.walkSlot := slotOf(at)
    completed.io.pop.ready := False

    switch(phase) {
      is(Phase.start) {
        when(clear.done)(phase := Phase.scan)
      }
      // Phase.scan puts `scan` on the table's address; Phase.scanned judges what came.
      is(Phase.scan)(phase := Phase.scanned)
      is(Phase.scanned) {
        phase := Phase.scan
        when(here) {
          val continues = dropping && !flags.sop
          when(continues) {
            // A frame whose packet has lost another one.
            io.event.packetDropped := !counted && parcels.io.push.ready
            parcels.io.push.valid := True
            parcels.io.push.last := scan
            parcels.io.push.deliver := False
            parcels.io.push.release := True
            when(parcels.io.push.ready) {
              counted := !flags.eop
              first := scan + 1
              scan := scan + 1
            }
          } elsewhen (flags.eop) {
            parcels.io.push.valid := True
            parcels.io.push.first := first
            parcels.io.push.last := scan
            parcels.io.push.deliver := state === State.complete
            parcels.io.push.release := True
            when(parcels.io.push.ready) {
              first := scan + 1
              scan := scan + 1
              dropping := False
              counted := False
            }
          } otherwise {
            scan := scan + 1
            dropping := False
            counted := False
          }
        } elsewhen (skipped) {
          parcels.io.push.valid := True
          parcels.io.push.last := scan
          parcels.io.push.deliver := False
          parcels.io.push.release := True
          when(parcels.io.push.ready) {
            io.event.skipped := True
            io.event.packetDropped := first =/= scan
            counted := counted || first =/= scan
            dropping := True
            first := scan + 1
            scan := scan + 1
          }
        } elsewhen (completed.io.pop.valid) {
          // The scan waits for a frame: look whether a later packet is complete.
          at := completed.io.pop.payload
          high := completed.io.pop.payload
          low := completed.io.pop.payload
          completed.io.pop.ready := True
          when(!Sn.behind(completed.io.pop.payload, first))(phase := Phase.forward)
        }
      }
      is(Phase.forward)(phase := Phase.forwarded)
      is(Phase.forwarded) {
        when(!here || state === State.taken) {
          phase := Phase.scan
        } elsewhen (flags.eop) {
          high := at
          at := low
          phase := Phase.backward
        } otherwise {
          at := at + 1
          phase := Phase.forward
        }
      }
      is(Phase.backward)(phase := Phase.backed)
      is(Phase.backed) {
        when(!here || (!flags.sop && at === first)) {
          phase := Phase.scan
        } elsewhen (flags.sop) {
          low := at
          phase := Phase.take
        } otherwise {
          at := at - 1
          phase := Phase.backward
        }
      }
      is(Phase.take) {
        port.walk := True
        when(port.walkGranted) {
          at := at + 1
          when(at === high)(phase := Phase.send)
        }
      }
      is(Phase.send) {
        parcels.io.push.valid := True
        parcels.io.push.first := low
        parcels.io.push.last := high
        parcels.io.push.deliver := True
        parcels.io.push.release := False
        when(parcels.io.push.ready)(phase := Phase.scan)
      }
    }
  }

  // Delivery ------------------------------------------------------------------------------------------------------

  /** What follows once a frame, or nothing (`reads` low), has been read. */
  case class Receipt() extends Bundle {
    val reads, release = Bool()
    val last = Wire.sn
  }
  val receipts = StreamFifo(Receipt(), 8)

  val delivery = new Area {
    val parcel = parcels.io.pop
    val active = RegInit(False)
    val fsn = Reg(Wire.sn)
    val loaded = RegInit(False)
    val frame = frameRam.readSync(slotOf(fsn))
    val isLast = fsn === parcel.last

    when(!active && parcel.valid && parcel.deliver) {
      active := True
      fsn := parcel.first
    }
    loaded := active && !io.job.fire

    io.job.valid := loaded && active && receipts.io.push.ready
    io.job.slot := slotOf(fsn)
    io.job.frame := frame
    val nothing = parcel.valid && !parcel.deliver && !active
    receipts.io.push.valid := io.job.fire || nothing
    receipts.io.push.reads := !nothing
    receipts.io.push.release := parcel.release && (nothing || isLast)
    receipts.io.push.last := parcel.last
    parcel.ready := (io.job.fire && isLast) || (nothing && receipts.io.push.ready)
    when(io.job.fire) {
      fsn := fsn + 1
      when(isLast)(active := False)
    }
  }

  // Freeing -------------------------------------------------------------------------------------------------------
  val free = new Area {
    val target = Reg(Wire.sn) init 0
    val read = Reg(UInt(4 bits)) init 0
    val receipt = receipts.io.pop
    receipt.ready := !receipt.reads || read =/= 0
    read := read + io.frameRead.asUInt - (receipt.fire && receipt.reads).asUInt
    when(receipt.fire && receipt.release)(target := receipt.last + 1)

    port.free := rxBase =/= target && port.freeGranted
    port.freeSlot := slotOf(rxBase)
    when(port.free)(rxBase := rxBase + 1)
  }
  io.rxBase := rxBase
}
