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

/** The root of the CRC-32C's state after each beat ([[arqlink.lib.Crc32]]), all bytes of the beat counted: `value` and `valid` two clocks after it. Nothing
  * moves without `moves`.
  *
  * The length of a packet is not a multiple of the beat, but the CRC is one of its bytes alone, as the peer's beats may have another width. So
  * who reads the value takes the zeros at its end into account: [[Crc32c.before]], [[Crc32c.residue]].
  */
class PacketCrc(dataBytes: Int, beat: Flow[CrcBeat], moves: Bool) extends Area {
  private val width = dataBytes * 8
  private val takes = beat.valid && moves

  val comes = RegNextWhen(beat.valid, moves, init = False)
  val last = RegNextWhen(beat.last, takes)
  val shares = RegNextWhen(Crc32c.shares(beat.data), takes)
  val register = Reg(Bits(32 bits)) init Crc32c.begin(width)
  private val next = Crc32c.step(register, shares)
  when(comes && moves)(register := last ? Crc32c.begin(width) | next)

  val valid = RegNextWhen(comes, moves, init = False)
  val value = RegNextWhen(next, comes && moves)
}
