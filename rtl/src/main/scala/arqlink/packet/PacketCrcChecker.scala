// SPDX-License-Identifier: Apache-2.0
package arqlink.packet

import spinal.core._
import spinal.lib._

import arqlink.axi.{AxiNames, PacketBeat}
import arqlink.config.LinkConfig
import arqlink.lib.BlockReset

/** Holds each packet until its CRC-32C has been checked, takes the CRC off and passes the packet on; one whose CRC does not match is dropped
  * whole. It sits behind the reassembler.
  *
  * Packets wait in a ring of block RAM with room for two of the longest. A packet that is longer than this end's own longest is dropped too. On
  * `flush` all is forgotten; a packet that is partly out is ended with `error` on a beat of its own, and the rest of one that is partly in is not
  * mistaken for a packet.
  */
case class PacketCrcChecker(link: LinkConfig) extends Component {
  private val dataBytes = link.code.dataBytes
  private val longest = (link.longestPacket + dataBytes - 1) / dataBytes

  val io = new Bundle {
    val input = slave(Stream(PacketBeat(dataBytes)))
    val flush = in(Bool())
    val output = master(Stream(PacketBeat(dataBytes)))
    val rxPackets, rxPacketsCorrupt = out(Bool())
    val rxBytes = out(UInt(5 bits))
  }
  noIoPrefix()
  AxiNames.packet(io.input, "s_axis")
  AxiNames.packet(io.output, "m_axis")

  val flush = RegNext(io.flush) init True
  private val reset = RegNext(io.flush).init(True).setName("ringReset")

  val entry = new Area {
    private val inside = RegInit(False)
    private val insideNext = io.input.fire ? !io.input.last | inside
    inside := insideNext

    /** What is left of a packet that a flush has cut. */
    val dropping = RegInit(False)
    dropping := insideNext && (dropping || flush)

    val room = Bool()
    io.input.ready := room || flush || dropping
    val beat = Flow(PacketBeat(dataBytes))
    beat.valid := io.input.valid && room && !flush && !dropping
    beat.payload := io.input.payload
  }

  val ring = BlockReset.by(reset)(new Area {
    val verdict = new CrcVerdict(dataBytes, longest, entry.beat)
    val end = new CrcStripper(dataBytes, verdict.beat)

    val store = new PacketRing(dataBytes, longest, end.word, end.drop)
    entry.room := store.room
    val corrupt = RegNext(end.corrupt) init False
  })
  io.rxPacketsCorrupt := ring.corrupt

  val exit = new PacketExit(dataBytes, flush, io.output)
  private val word = ring.store.word
  exit.input.arbitrationFrom(word)
  exit.input.data := word.data
  exit.input.keep(0) := True
  for (i <- 1 until dataBytes) exit.input.keep(i) := !word.last || word.bytesLessOne >= i
  exit.input.last := word.last
  exit.input.error := False
  io.rxPackets := exit.rxPackets
  io.rxBytes := exit.rxBytes
}
