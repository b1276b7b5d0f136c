// SPDX-License-Identifier: Apache-2.0
package arqlink.packet

import spinal.core._
import spinal.lib._

import arqlink.lib.Crc32c

/** What the CRC of packets is made of: a beat of which the bytes that are not kept are zero. */
case class CrcBeat(dataBytes: Int) extends Bundle {
  val data = Bits(dataBytes * 8 bits)
  val last = Bool()
}

/** The state of the CRC-32C after each beat, all bytes of the beat counted: `value` and `valid` two clocks after it. Nothing moves without `moves`.
  *
  * The length of a packet is not a multiple of the beat, but the CRC is one of its bytes alone, as the peer's beats may have another width. So
  * who reads the value takes the zeros at its end into account: [[Crc32c.before]], [[Crc32c.residueAfter]].
  */
class PacketCrc(dataBytes: Int, beat: Flow[CrcBeat], moves: Bool) extends Area {
  private val width = dataBytes * 8
  private val takes = beat.valid && moves
  private val first = RegInit(True)
  when(takes)(first := beat.last)

  val comes = RegNextWhen(beat.valid, moves, init = False)
  val last = RegNextWhen(beat.last, takes)
  val shares = RegNextWhen(Crc32c.shares(beat.data, first, width), takes)
  val state = Reg(Bits(32 bits)) init Crc32c.empty(width)
  private val next = Crc32c.sum(shares, state, width)
  when(comes && moves)(state := last ? Crc32c.empty(width) | next)

  val valid = RegNextWhen(comes, moves, init = False)
  val value = RegNextWhen(next, comes && moves)
}
