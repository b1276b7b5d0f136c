// SPDX-License-Identifier: Apache-2.0
package arqlink.packet

import spinal.core._
import spinal.lib._

import arqlink.axi.{AxiNames, PacketBeat}
import arqlink.config.LinkConfig
import arqlink.lib.{BeatCounter, Invariant, Skid}
import arqlink.store.{SlotMeta, StoreWrite}
import arqlink.wire.Wire

/** Cuts packets into frames, writes them into the frame store, and lets a packet's frames be sent once the packet
  * has been accepted whole. The frames of a bad packet are given back: their FSNs are used again.
  */
case class Segmenter(link: LinkConfig) extends Component {
  private val code = link.code

  val io = new Bundle {
    val packet = slave(Stream(PacketBeat(code.dataBytes)))

    /** Data units of a frame, 1 to maxK; counts when a frame begins. */
    val k = in(UInt(code.kBits bits))

    /** Lower window edge: slots of FSNs below it may be written again. */
    val base = in(Wire.sn)
    val write = master(Stream(StoreWrite(link)))
    val meta = master(Flow(SlotMeta(link)))

    /** Frames below it are in the store and may be sent. */
    val head = out(Wire.sn)

    /** All slots of the window are in use, as it was a clock ago. */
    val full = out(Bool())

    val txPackets = out(Bool())
    val txBytes = out(UInt(14 bits))
    val dropZero, dropOversize, dropAbort, dropKeep = out(Bool())
  }
  noIoPrefix()
  AxiNames.packet(io.packet, "s_axis")

  val front = PacketFront(code)
  front.io.packet << io.packet

  val judge = new PacketJudge(link)
  judge.io.beat << front.io.beat

  /** With the CRC of each good packet behind it, if the build has one. */
  val trailed =
    if (!link.packetCrc) judge.io.checked
    else {
      val inserter = PacketCrcInserter(code.dataBytes)
      inserter.io.input << judge.io.checked
      inserter.io.output
    }
  // A skid, so that no two enables of many flip-flops are in series. Behind it, what is to be stored is valid.
  private val source = Skid(trailed, "skid")
  private val marked = cloneOf(source.payload)
  marked.store := source.store && source.valid
  marked.assignUnassignedByName(source.payload)
  val checked = source.translateWith(marked).m2sPipe(collapsBubble = false)
  val beat = checked.beat
  private val endsPacket = checked.fire && beat.last

  /** A packet's last write carries `commit`, so that `head` moves only when the store has accepted it. */
  case class PacketWrite() extends Bundle {
    val write = StoreWrite(link)
    val commit = Bool()
  }
  val writes = Stream(PacketWrite())

  val frame = new Area {
    val committed = Reg(Wire.sn) init link.firstSn
    val fsn = Reg(Wire.sn) init link.firstSn
    val sop = RegInit(True)
    val begun = RegInit(False)
    val unitBeat = new BeatCounter(code.unitBeats)

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

    // The window is full when bit slotBits of the distance is set; the distance cannot be more than windowFrames.
    private val distanceBits = link.window.slotBits + 1
    private val distanceNow = fsn.resize(distanceBits) - io.base.resize(distanceBits)
    Invariant(distanceNow <= link.window.windowFrames, "a frame is beyond the window")
    Invariant.when(io.write.fire)((io.write.slot - io.base.resize(link.window.slotBits)) <= (fsn - io.base), "a slot is written that the window does not have")
    private val unitEnds = writes.fire && unitBeat.last
    // The distance is a clock old, and fsn may move meanwhile: a unit's end, now or a clock ago, counts as a move. So `blocked` may last a clock too
    // long, but never too short. fsn does not move twice in these clocks, as frames end two clocks apart or more.
    private val isFull = RegNext(distanceNow.msb) init False
    private val isOneLeft = RegNext(distanceNow.dropHigh(1).andR) init False
    io.full := isFull
    private val moves = unitEnds || RegNext(unitEnds, init = False)

    /** Gives the frames of a bad packet back, a clock after its end. */
    private val isBad = endsPacket && !checked.store
    val rollback = RegNext(isBad) init False

    /** Frames are given back, or a packet's last unit is being filled: no beat is accepted. */
    private val holdsNext = isBad || filling.getAheadValue()
    val holds = RegNext(holdsNext) init False

    /** All slots are in use, or no beat is accepted: none is stored. A beat that is not stored needs no slot and must not wait for one: it may belong to a
      * packet whose own frames, which are not sent before its end, hold all of them. Two causes, each in a register of its own for what is stored and for
      * the source of beats.
      */
    private def blocked: Bool = {
      val fullOrHeld = RegNext(isFull || holdsNext, init = False).addAttribute("keep")
      val lastIsTaken = RegNext(moves && isOneLeft, init = False).addAttribute("keep")
      fullOrHeld || lastIsTaken
    }

    private val lastUnitNext = Mux(begun, lastBefore, isOneUnit)
    val endsFrame = RegInit(False)
    val isLast = unitBeat.last && (filling || beat.last)

    writes.valid := filling || (checked.store && !blocked)
    checked.ready := checked.store ? (!blocked && writes.ready) | !holds
    writes.write.slot := fsn.resized
    writes.write.beat := slotBeat
    writes.write.data := filling ? B(0, code.dataBits bits) | beat.data
    writes.commit := isLast

    when(writes.fire) {
      begun := True
      beatsBefore := slotBeat + 1
      unitsBefore := unit
      leftBefore := unitsLeft
      lastBefore := lastUnitNext
      unitBeat.step()
      endsFrame := unitBeat.isNextLast && lastUnitNext
      when(unitBeat.last) {
        unitsBefore := unit + 1
        leftBefore := unitsLeft - 1
        lastBefore := unitsLeft === 1
      }
      filling setWhen (beat.last && !filling)
    }

    val next = writes.fire && (isLast || endsFrame)
    when(next) {
      fsn := fsn + 1
      sop := isLast
    }
    when(writes.fire && isLast) {
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
      unitBeat.restart()
      endsFrame := False
    }
  }

  val output = new Area {
    val pipe = writes.m2sPipe()
    io.write.arbitrationFrom(pipe)
    io.write.payload := pipe.write

    // While the last write waits in `pipe` no later packet can be committed, so `committed` is still its edge.
    val head = Reg(Wire.sn) init link.firstSn
    when(pipe.fire && pipe.commit) { head := frame.committed }
    io.head := head

    val meta = SlotMeta(link)
    val fillBeats = frame.unitBeat.left.resize(Wire.padBits)
    val fillBytes = (U(code.dataBytes) - beat.bytes).resize(Wire.padBits)
    meta.slot := frame.fsn.resized
    meta.meta.k := frame.unit + 1
    meta.meta.pad := (beat.last ? ((fillBeats |<< log2Up(code.dataBytes)) | fillBytes) | U(0)).resized
    meta.meta.sop := frame.sop
    meta.meta.eop := beat.last
    io.meta.valid := RegNext(checked.fire && checked.store && (beat.last || frame.endsFrame)) init False
    io.meta.payload := RegNext(meta)
  }

  val events = new Area {
    private val ends = RegNext(endsPacket) init False
    private val of = RegNext(checked.payload)
    private def pulse(condition: Bool): Bool = RegNext(ends && condition) init False
    io.txPackets := pulse(of.store)
    io.txBytes := RegNext((ends && of.store) ? of.total | U(0, 14 bits)) init 0
    io.dropKeep := pulse(of.keep)
    io.dropAbort := pulse(!of.keep && of.abort)
    io.dropOversize := pulse(!of.keep && !of.abort && of.oversize)
    io.dropZero := pulse(!of.keep && !of.abort && !of.oversize && of.beat.empty)
  }
}
