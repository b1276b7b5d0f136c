// SPDX-License-Identifier: Apache-2.0
package arqlink.packet

import spinal.core._
import spinal.lib._

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
