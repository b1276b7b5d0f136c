// SPDX-License-Identifier: Apache-2.0
package arqlink.packet

import spinal.core._
import spinal.lib._

import arqlink.axi.{AxiNames, PacketBeat}
import arqlink.config.LinkConfig
import arqlink.lib.{Invariant, Skid}
import arqlink.store.{SlotMeta, StoreWrite}
import arqlink.wire.Wire

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

    /** All slots of the window are taken, as it was a clock ago. */
    val full = out(Bool())

    val txPackets = out(Bool())
    val txBytes = out(UInt(14 bits))
    val dropZero, dropOversize, dropAbort, dropKeep = out(Bool())
  }
  noIoPrefix()
  AxiNames.packet(io.packet, "s_axis")

  val front = PacketFront(code)
  front.io.packet << io.packet

  val checked = Stream(CheckedBeat(code.dataBytes))

  /** With the CRC of each good packet behind it, if the build has one. */
  val trailed =
    if (!link.packetCrc) checked
    else {
      val inserter = PacketCrcInserter(code.dataBytes)
      inserter.io.input << checked
      inserter.io.output
    }
  // Enables of many flip-flops do not follow each other, so that wide beats wait in a skid behind the judgement as well.
  val taken = if (code.isWide) Skid(trailed, "skid").m2sPipe(collapsBubble = false) else trailed.m2sPipe()
  val beat = taken.beat

  /** A packet's last write carries `commit`, so that `head` moves only when the store has taken it. */
  case class PacketWrite() extends Bundle {
    val write = StoreWrite(link)
    val commit = Bool()
  }
  val writes = Stream(PacketWrite())

  val packet = new Area {
    // All beats but a packet's last one are full, or it is dropped for its keep: counting beats is enough.
    private val fullBeats = maxBytes / code.dataBytes
    private val restBytes = maxBytes % code.dataBytes
    val byteBits = log2Up(code.dataBytes)
    val count = Reg(UInt(14 - byteBits bits)) init 0

    /** `count` is fullBeats: at most restBytes may come. */
    val tight = RegInit(Bool(fullBeats == 0))
    val badKeep, badAbort, badOversize = RegInit(False)

    private val input = if (code.isWide) front.io.beat.m2sPipe(collapsBubble = false) else front.io.beat
    checked.arbitrationFrom(input)
    checked.beat := input.payload
    checked.keep := badKeep || input.keepBad
    checked.abort := badAbort || input.abort
    checked.oversize := badOversize || (tight && input.bytes > restBytes)
    checked.store := input.valid && !(checked.keep || checked.abort || checked.oversize || input.empty)
    checked.total := ((count << byteBits) + input.bytes).resize(14 bits)

    when(input.fire) {
      badKeep := checked.keep
      badAbort := checked.abort
      badOversize := checked.oversize || tight
      count := count + 1
      tight := count === fullBeats - 1
      when(input.last) {
        badKeep := False
        badAbort := False
        badOversize := False
        count := 0
        tight := Bool(fullBeats == 0)
      }
    }
    val ends = taken.fire && beat.last
  }

  val frame = new Area {
    val committed = Reg(Wire.sn) init 0
    val fsn = Reg(Wire.sn) init 0
    val sop = RegInit(True)
    val begun = RegInit(False)
    val unitBeat = Reg(UInt(code.unitBeatBits bits)) init 0

    // What counts within a frame starts with its first beat, so that nothing has to be reset at the end of the one before.
    private val beatsBefore = Reg(UInt(code.slotBeatBits bits))
    private val unitsBefore = Reg(UInt(code.kBits bits))
    val slotBeat = begun ? beatsBefore | U(0)
    val unit = begun ? unitsBefore | U(0)

    /** Units of the frame after this one; K counts as it was a clock before the frame's first beat. */
    private val kLessOne = RegNext(io.k - 1)
    private val isOneUnit = RegNext(io.k === 1)
    private val leftBefore = Reg(UInt(code.kBits bits))
    private val lastBefore = Reg(Bool())
    val unitsLeft = begun ? leftBefore | kLessOne

    /** The packet is complete, its last unit is being filled with zeros. */
    val filling = RegInit(False)

    // Bit slotBits of the distance says that windowFrames slots are taken; it cannot be more.
    // Registered, so it may be said for a clock too long, but not too short: when fsn may move, as a unit ends, it is of the next one.
    private val distanceBits = link.window.slotBits + 1
    private val distanceNow = fsn.resize(distanceBits) - io.base.resize(distanceBits)
    Invariant(distanceNow <= link.window.windowFrames, "a frame is beyond the window")
    Invariant.when(io.write.fire)((io.write.slot - io.base.resize(link.window.slotBits)) <= (fsn - io.base), "a slot is written that the window does not have")
    val endsUnit = RegInit(False)
    private val unitEnds = writes.fire && endsUnit
    // A clock old, and so is one move, as frames end two clocks apart or more.
    private val distance = RegNext(distanceNow) init 0
    io.full := distance.msb
    private val moves = unitEnds || RegNext(unitEnds, init = False)

    /** Gives the frames of a bad packet back, a clock after its end. */
    private val isBad = packet.ends && !taken.store
    val rollback = RegNext(isBad) init False

    /** Frames are given back, or a packet's last unit is being filled: no beat is taken. */
    private val holdsNext = isBad || filling.getAheadValue()
    val holds = RegNext(holdsNext) init False

    /** All slots are taken, or no beat is: none is stored. A beat that is not stored needs no slot and must not wait for one: it may belong to a
      * packet whose own frames, which are not sent before its end, hold all of them. For the source of beats in a register of its own.
      */
    val blocked = RegInit(False)
    val stalls = RegInit(False).addAttribute("keep")
    private val blockedNext = distance.msb || moves && distance.dropHigh(1).andR || holdsNext
    blocked := blockedNext
    stalls := blockedNext

    private val endsUnitNext = unitBeat === code.unitBeats - 2
    private val lastUnitNext = Mux(begun, lastBefore, isOneUnit)
    val endsFrame = RegInit(False)
    val endsPacket = endsUnit && (filling || beat.last)

    writes.valid := filling || (taken.valid && taken.store && !blocked)
    taken.ready := taken.store ? (!stalls && writes.ready) | !holds
    writes.write.slot := fsn.resized
    writes.write.beat := slotBeat
    writes.write.data := filling ? B(0, code.dataBits bits) | beat.data
    writes.commit := endsPacket

    when(writes.fire) {
      begun := True
      beatsBefore := slotBeat + 1
      unitsBefore := unit
      leftBefore := unitsLeft
      lastBefore := lastUnitNext
      unitBeat := unitBeat + 1
      endsUnit := endsUnitNext
      endsFrame := endsUnitNext && lastUnitNext
      when(endsUnit) {
        unitBeat := 0
        unitsBefore := unit + 1
        leftBefore := unitsLeft - 1
        lastBefore := unitsLeft === 1
      }
      filling setWhen (beat.last && !filling)
    }

    val next = writes.fire && (endsPacket || endsFrame)
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
    // A frame ends with a unit.
    when(next || rollback)(begun := False)
    when(rollback) {
      unitBeat := 0
      endsUnit := False
      endsFrame := False
    }
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
    meta.meta.pad := (beat.last ? ((fillBeats |<< log2Up(code.dataBytes)) | fillBytes) | U(0)).resized
    meta.meta.sop := frame.sop
    meta.meta.eop := beat.last
    io.meta.valid := RegNext(taken.fire && taken.store && (beat.last || frame.endsFrame)) init False
    io.meta.payload := RegNext(meta)
  }

  val events = new Area {
    private val ends = RegNext(packet.ends) init False
    private val of = RegNext(taken.payload)
    private def pulse(condition: Bool): Bool = RegNext(ends && condition) init False
    io.txPackets := pulse(of.store)
    io.txBytes := RegNext((ends && of.store) ? of.total | U(0, 14 bits)) init 0
    io.dropKeep := pulse(of.keep)
    io.dropAbort := pulse(!of.keep && of.abort)
    io.dropOversize := pulse(!of.keep && !of.abort && of.oversize)
    io.dropZero := pulse(!of.keep && !of.abort && !of.oversize && of.beat.empty)
  }
}
