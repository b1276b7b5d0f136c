// SPDX-License-Identifier: Apache-2.0
package arqlink.packet

import spinal.core._
import spinal.lib._

import arqlink.lib.Invariant
import arqlink.lib.queue.ReadQueue

/** A beat as it waits in the ring; all bytes are kept but in a packet's last one. */
case class RingWord(dataBytes: Int) extends Bundle {
  val data = Bits(dataBytes * 8 bits)
  val last = Bool()
  val bytesLessOne = UInt(log2Up(dataBytes) bits)
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
