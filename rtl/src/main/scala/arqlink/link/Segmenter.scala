// SPDX-License-Identifier: Apache-2.0
package arqlink.link

import spinal.core._
import spinal.lib._

import arqlink._

/** What the sender keeps about the frame in `slot`. */
case class SlotMeta(link: LinkConfig) extends Bundle {
  val slot = UInt(link.window.slotBits bits)
  val meta = FrameMeta(link.code)
}

/** Cuts packets into frames, writes them into the frame store, and lets a packet's frames be sent once the packet
  * has been accepted whole. The frames of a bad packet are given back: their FSNs are used again.
  */
case class Segmenter(link: LinkConfig) extends Component {
  private val code = link.code
  private val maxBytes = link.window.maxPacketBytes

  val io = new Bundle {
    val packet = slave(Stream(PacketBeat(code.dataBytes)))

    /** Data units of a frame, 1 to maxK; taken when a frame begins. */
    val k = in(UInt(code.kBits bits))

    /** Lower window edge: slots of FSNs below it may be written again. */
    val base = in(Wire.sn)
    val write = master(Stream(StoreWrite(link)))
    val meta = master(Flow(SlotMeta(link)))

    /** Frames below it are in the store and may be sent. */
    val head = out(Wire.sn)

    val txPackets = out(Bool())
    val txBytes = out(UInt(14 bits))
    val dropZero, dropOversize, dropAbort, dropKeep = out(Bool())
  }
  noIoPrefix()
  AxiNames.packet(io.packet, "s_axis")

  val front = PacketFront(code.dataBytes)
  front.io.packet << io.packet
  val beat = front.io.beat

  /** A packet's last write carries `commit`, so that `head` moves only when the store has taken it. */
  case class PacketWrite() extends Bundle {
    val write = StoreWrite(link)
    val commit = Bool()
  }
  val writes = Stream(PacketWrite())

  val packet = new Area {
    val room = Reg(UInt(log2Up(maxBytes + 1) bits)) init maxBytes
    val badKeep, badAbort, badOversize = RegInit(False)

    val keep = badKeep || beat.keepBad
    val abort = badAbort || beat.abort
    val oversize = badOversize || beat.bytes > room
    val zero = beat.bytes === 0
    val store = !(keep || abort || oversize || zero)
    val ends = beat.fire && beat.last

    when(beat.fire) {
      badKeep := keep
      badAbort := abort
      badOversize := oversize
      when(!oversize) { room := (room - beat.bytes).resized }
    }
    when(ends) {
      badKeep := False
      badAbort := False
      badOversize := False
      room := maxBytes
    }
  }

  val frame = new Area {
    val committed = Reg(Wire.sn) init 0
    val fsn = Reg(Wire.sn) init 0
    val sop = RegInit(True)
    val begun = RegInit(False)
    val slotBeat = Reg(UInt(code.slotBeatBits bits)) init 0
    val unitBeat = Reg(UInt(code.unitBeatBits bits)) init 0
    val unit = Reg(UInt(code.kBits bits)) init 0
    val lastUnit = Reg(UInt(code.kBits bits))

    /** The packet is complete, its last unit is being filled with zeros. */
    val filling = RegInit(False)

    // Bit slotBits of the distance says that windowFrames slots are taken; it cannot be more.
    private val distanceBits = link.window.slotBits + 1
    val full = (fsn.resize(distanceBits) - io.base.resize(distanceBits)).msb

    val endsUnit = unitBeat === code.unitBeats - 1
    val endsFrame = endsUnit && unit === lastUnit
    val endsPacket = endsUnit && (filling || beat.last)

    writes.valid := filling || (beat.valid && packet.store && !full)
    beat.ready := !filling && (!packet.store || (writes.ready && !full))
    writes.write.slot := fsn.resized
    writes.write.beat := slotBeat
    writes.write.data := filling ? B(0, code.dataBits bits) | beat.data
    writes.commit := endsPacket

    when(writes.fire) {
      begun := True
      slotBeat := slotBeat + 1
      unitBeat := unitBeat + 1
      when(endsUnit) {
        unitBeat := 0
        unit := unit + 1
      }
      filling setWhen (beat.last && !filling)
    }

    val next = writes.fire && (endsPacket || (endsFrame && !filling))
    val rollback = packet.ends && !packet.store
    when(next) {
      fsn := fsn + 1
      sop := endsPacket
    }
    when(writes.fire && endsPacket) {
      committed := fsn + 1
      filling := False
    }
    when(rollback) {
      fsn := committed
      sop := True
    }
    when(next || rollback) {
      begun := False
      slotBeat := 0
      unitBeat := 0
      unit := 0
    }
    // K - 1 as it was one clock before the frame's first beat.
    when((!begun && !writes.fire) || next) { lastUnit := io.k - 1 }
  }

  val output = new Area {
    val pipe = writes.m2sPipe()
    io.write.arbitrationFrom(pipe)
    io.write.payload := pipe.write

    // While the last write waits in `pipe` no later packet can be committed, so `committed` is still its edge.
    val head = Reg(Wire.sn) init 0
    when(pipe.fire && pipe.commit) { head := frame.committed }
    io.head := head

    val meta = SlotMeta(link)
    val fillBeats = U(code.unitBeats - 1, Wire.padBits bits) - frame.unitBeat
    val fillBytes = (U(code.dataBytes) - beat.bytes).resize(Wire.padBits)
    meta.slot := frame.fsn.resized
    meta.meta.k := frame.unit + 1
    meta.meta.pad := beat.last ? ((fillBeats |<< log2Up(code.dataBytes)) | fillBytes) | U(0)
    meta.meta.sop := frame.sop
    meta.meta.eop := beat.last
    io.meta.valid := RegNext(beat.fire && packet.store && (beat.last || frame.endsFrame)) init False
    io.meta.payload := RegNext(meta)
  }

  val events = new Area {
    import packet._
    private def pulse(condition: Bool): Bool = RegNext(ends && condition) init False
    io.txPackets := pulse(store)
    io.txBytes := RegNext((ends && store) ? (U(maxBytes, 14 bits) - room + beat.bytes) | U(0, 14 bits)) init 0
    io.dropKeep := pulse(keep)
    io.dropAbort := pulse(!keep && abort)
    io.dropOversize := pulse(!keep && !abort && oversize)
    io.dropZero := pulse(!keep && !abort && !oversize && zero)
  }
}
