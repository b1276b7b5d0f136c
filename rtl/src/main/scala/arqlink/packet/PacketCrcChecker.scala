// SPDX-License-Identifier: Apache-2.0
package arqlink.packet

import spinal.core._
import spinal.lib._

import arqlink.axi.{AxiNames, PacketBeat}
import arqlink.config.LinkConfig
import arqlink.lib._
import arqlink.lib.queue.ReadQueue

/** Holds each packet until its CRC-32C has been checked, takes the CRC off and passes the packet on; one whose CRC does not match is dropped
  * whole. Stands behind the reassembler.
  *
  * Packets wait in a ring of block RAM with room for two of the longest. A packet that is longer than this end's own longest is dropped too. On
  * `flush` all is forgotten; a packet that is partly out is ended with `error` on a beat of its own, and the rest of one that is partly in is not taken
  * for a packet.
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

/** A beat of a packet with its CRC; the verdict is of the packet's last one. */
case class JudgedCrcBeat(dataBytes: Int) extends Bundle {
  val data = Bits(dataBytes * 8 bits)

  /** Bytes kept. */
  val bytes = UInt(log2Up(dataBytes) + 1 bits)
  val last = Bool()

  /** The packet is longer than it may be, with this beat or before. */
  val over = Bool()

  /** With `last`: the CRC matches; the packet was ended with `error`. */
  val good, error = Bool()
}

/** Judges each packet; its beats come out with the verdict, four clocks later. */
class CrcVerdict(dataBytes: Int, longest: Int, source: Flow[PacketBeat]) extends Area {
  private def later[T <: Data](x: T, clocks: Int = 1): T = Delay(x, clocks)

  val input = source.m2sPipe()
  private val count = Reg(UInt(log2Up(longest + 1) bits)) init 0
  private val over = count === longest
  when(input.valid) {
    when(!over)(count := count + 1)
    when(input.last)(count := 0)
  }
  private val bytes = CountOne(input.keep).resize(log2Up(dataBytes) + 1)
  private val kept = Flow(CrcBeat(dataBytes))
  kept.valid := input.valid
  kept.last := input.last
  for (i <- 0 until dataBytes) kept.data(8 * i, 8 bits) := input.keep(i) ? input.data(8 * i, 8 bits) | B(0, 8 bits)
  val crc = new PacketCrc(dataBytes, kept, True)

  /** The state that a good packet leads to, and zeros up to the end of the beat. */
  private val zeros = RegNext((U(dataBytes) - bytes).resize(log2Up(dataBytes) max 1))
  private val expected = RegNext(Vec((0 until dataBytes).map(i => Crc32c.residueAfter(8 * i))).read(zeros.resize(log2Up(dataBytes))))

  val beat = Flow(JudgedCrcBeat(dataBytes))
  beat.valid := RegNext(crc.valid) init False
  beat.data := later(kept.data, 3)
  beat.bytes := later(bytes, 3)
  beat.last := later(input.last, 3)
  beat.over := later(over, 3)
  beat.error := later(input.error, 3)
  beat.good := RegNext(crc.value === expected)
}

/** A beat as it waits in the ring; all bytes are kept but in a packet's last one. */
case class RingWord(dataBytes: Int) extends Bundle {
  val data = Bits(dataBytes * 8 bits)
  val last = Bool()
  val bytesLessOne = UInt(log2Up(dataBytes) bits)
}

/** Takes the last four bytes off. For that beats are held until four bytes have come behind them, or their packet has ended with fewer: then the
  * packet ends in the beat itself, a clock later.
  */
class CrcStripper(dataBytes: Int, input: Flow[JudgedCrcBeat]) extends Area {
  private val depth = (4 + dataBytes - 1) / dataBytes
  private val byteBits = log2Up(dataBytes)
  private val held = Vec(Reg(Bits(dataBytes * 8 bits)), depth)
  private val holds = Vec(RegInit(False), depth)

  /** What is held ends its packet, which is good; so many bytes of it are kept, less one. */
  private val isTail = RegInit(False)
  private val tailBytes = Reg(UInt(byteBits bits))

  private val endsBefore = if (dataBytes > 4) input.bytes <= 4 else True
  private val hasBytes = !endsBefore || (holds.last && !isTail)
  private val ends = input.valid && input.last
  private val bad = ends && !(input.good && hasBytes && !input.over && !input.error)
  val corrupt = bad && !input.error

  val word = Flow(RingWord(dataBytes))
  word.valid := isTail || (input.valid && holds.last && !input.over && !bad)
  word.data := held.last
  word.last := isTail || (input.last && endsBefore)

  // Four bytes less, and one; where the CRC began in an earlier beat, that beat's.
  private val bytesLeft = (input.bytes - 5).resize(byteBits)
  word.bytesLessOne := word.last ? (isTail ? tailBytes | bytesLeft) | U(dataBytes - 1, byteBits bits)

  /** What of the packet has been given is to be forgotten. A packet that begins while the end of the one before is given has given nothing. */
  val drop = bad && !isTail

  isTail := ends && !bad && !endsBefore
  tailBytes := bytesLeft
  when(isTail)(holds.last := False)
  when(input.valid) {
    held.head := input.data
    holds.head := True
    for (i <- 1 until depth) {
      held(i) := held(i - 1)
      holds(i) := holds(i - 1)
    }
    when(input.last) {
      for (hold <- holds) hold := False
      holds.head setWhen (!bad && !endsBefore)
    }
  }
}

/** A ring with room for two of the longest packets, whose words can be read when their packet's last one has been written. */
class PacketRing(dataBytes: Int, longest: Int, input: Flow[RingWord], dropped: Bool) extends Area {

  /** Beats that may be on their way when `room` has become low. */
  private val margin = 16
  private val addressBits = log2Up((2 * longest) max (4 * margin))
  private val latency = 2

  private val written = input.m2sPipe()
  private val drop = RegNext(dropped) init False
  private val place, committed, reader = Reg(UInt(addressBits bits)) init 0
  when(written.valid) {
    place := place + 1
    when(written.last)(committed := place + 1)
  }
  when(drop)(place := committed)

  private val used = RegNext(place - reader) init 0
  val room = RegNext(used < (1 << addressBits) - margin) init False

  Invariant.when(written.valid)(place + 1 =/= reader, "a word goes to a place that has not been read")

  private val ram = Mem(RingWord(dataBytes), 1 << addressBits)
  ram.addAttribute("no_rw_check")
  ram.write(place, written.payload, written.valid)

  private val queue = new ReadQueue(RingWord(dataBytes), latency)
  queue.io.issue := queue.io.room && reader =/= committed
  when(queue.io.issue)(reader := reader + 1)
  queue.io.word := RegNext(ram.readSync(reader))
  val word = queue.io.pop
}
