// SPDX-License-Identifier: Apache-2.0
package arqlink.packet

import spinal.core._
import spinal.lib._

import arqlink.axi.{AxiNames, PacketBeat}
import arqlink.config.CodeConfig
import arqlink.lib.{BeatCounter, Invariant}
import arqlink.wire.FrameMeta

/** Makes packets of frames again: cuts the filling bytes of a packet's last frame and ends the packet there.
  *
  * For each `frame` its `k` data units come at `units`, unitBeats beats each; a beat leaves in the next clock, and one that holds nothing but
  * filling is dropped. A packet that `flush` cuts ends with `error` on a beat of its own.
  */
case class Reassembler(code: CodeConfig) extends Component {
  private val dataBytes = code.dataBytes
  private val byteBits = log2Up(dataBytes)

  val io = new Bundle {
    val frame = slave(Stream(FrameMeta(code)))
    val units = slave(Stream(Fragment(Bits(code.dataBits bits))))

    /** Forget the frame in progress; a packet that is partly out is ended with `error`. */
    val flush = in(Bool())
    val packet = master(Stream(PacketBeat(dataBytes)))
    val rxPackets = out(Bool())
    val rxBytes = out(UInt(5 bits))
  }
  noIoPrefix()
  AxiNames.units(io.units, "units")
  AxiNames.packet(io.packet, "m_axis")

  private val flush = RegNext(io.flush) init False
  val exit = new PacketExit(dataBytes, flush, io.packet)

  /** The source sees a register for `ready`; what waits there is forgotten with its frame. */
  val units = io.units.s2mPipe(flush = flush).m2sPipe(flush = flush, collapsBubble = false)

  /** A frame's description, and what follows from it. */
  case class Start() extends Bundle {
    val meta = FrameMeta(code)
    val isOneUnit = Bool()
    val fillBeats = UInt(code.unitBeatBits bits)
  }
  private val start = io.frame
    .map { meta =>
      val start = Start()
      start.meta := meta
      start.isOneUnit := meta.k === 1
      start.fillBeats := meta.pad.dropLow(byteBits).asUInt.resized
      start
    }
    .halfPipe(flush = flush)

  val frame = new Area {
    val active = RegInit(False)
    val meta = Reg(FrameMeta(code))
    val beat = new BeatCounter(code.unitBeats)

    /** Beats of the last unit behind the one that holds the packet's last byte. */
    val fillBeats = Reg(UInt(code.unitBeatBits bits))
    val lastUnit = Reg(Bool())
    val inLastUnit = meta.eop && lastUnit

    // Where `beat` is, worked out with it.
    val endsFrame = RegInit(False)
    val atLast = Reg(Bool())

    /** The packet's last byte has left. */
    val isFilling = Reg(Bool())
    val isLast = inLastUnit && atLast && !isFilling

    // `exit.pending` comes with the end of the frame.
    val ends = units.fire && endsFrame

    // A frame that comes when a flush begins is forgotten.
    start.ready := !exit.pending && (!active || ends)
    units.ready := active && (exit.input.ready || isFilling)
    active := (active && !ends || start.fire) && !flush

    private val areTwo = meta.k.resize(code.kBits max 2) === 2 // `k` counts the units left
    private val lastNext = beat.last ? RegNext(areTwo) | lastUnit
    when(units.fire) {
      beat.step()
      endsFrame := beat.isNextLast && lastNext
      atLast := beat.nextLeft === fillBeats
      isFilling setWhen isLast
      lastUnit := lastNext
      when(beat.last)(meta.k := meta.k - 1)
    }
    when(start.fire) {
      meta := start.meta
      lastUnit := start.isOneUnit
      fillBeats := start.fillBeats
      atLast := start.fillBeats === code.unitBeats - 1
      isFilling := False
    }

    // A frame ends with a unit, unless a flush ends it.
    when(flush) {
      beat.restart()
      endsFrame := False
    }

    val keep = Bits(dataBytes bits)
    val cut = meta.pad(0, byteBits bits)
    keep.lsb := True
    for (i <- 1 until dataBytes) keep(i) := !isLast || cut <= dataBytes - 1 - i
  }

  exit.input.valid := frame.active && units.valid && !frame.isFilling
  exit.input.data := units.fragment
  exit.input.keep := frame.keep
  exit.input.last := frame.isLast
  exit.input.error := False
  Invariant.when(units.fire)(units.last === frame.beat.last, "a unit ends where it is not counted to end")
  Invariant.when(io.packet.valid)(io.packet.keep.lsb && (io.packet.last || io.packet.keep.andR), "a beat within a packet has holes")

  io.rxPackets := exit.rxPackets
  io.rxBytes := exit.rxBytes
}
