// SPDX-License-Identifier: Apache-2.0
package arqlink.packet

import spinal.core._
import spinal.lib._

import arqlink.axi.PacketBeat
import arqlink.lib.Crc32c

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

  /** What a good packet leads to, and zeros up to the end of the beat. */
  private val zeros = RegNext((U(dataBytes) - bytes).resize(log2Up(dataBytes) max 1))
  private val expected = RegNext(Vec((0 until dataBytes).map(i => Crc32c.residue(8 * dataBytes, zeros = 8 * i))).read(zeros.resize(log2Up(dataBytes))))

  val beat = Flow(JudgedCrcBeat(dataBytes))
  beat.valid := RegNext(crc.valid) init False
  beat.data := later(kept.data, 3)
  beat.bytes := later(bytes, 3)
  beat.last := later(input.last, 3)
  beat.over := later(over, 3)
  beat.error := later(input.error, 3)
  beat.good := RegNext(crc.value === expected)
}
