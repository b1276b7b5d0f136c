// SPDX-License-Identifier: Apache-2.0
package arqlink.packet

import spinal.core._
import spinal.lib._

import arqlink.axi.PacketBeat
import arqlink.lib.{Kept, Skid}

/** The way out of a block that gives packets: a packet that `flush` cuts is ended with `error` on a beat of its own, and what leaves is counted. */
class PacketExit(dataBytes: Int, flush: Bool, output: Stream[PacketBeat]) extends Area {

  /** Waits while a packet is being ended. */
  val input = Stream(PacketBeat(dataBytes))

  private val beat = Stream(PacketBeat(dataBytes))

  /** A beat has left and its packet's last one has not. */
  private val open = RegInit(False)
  private val openNext = beat.fire ? !beat.last | open
  open := openNext

  /** The packet in progress is to be ended with `error`; `ends` is the same, near the beat. */
  val pending = RegInit(False)
  private val pendingNext = pending ? !beat.ready | (flush && openNext)
  pending := pendingNext
  private val ends = Kept(RegNext(pendingNext) init False, "ends")

  input.ready := beat.ready && !pending
  beat.valid := input.valid || pending
  beat.payload := input.payload
  when(ends) {
    beat.data := 0
    beat.keep := 1
    beat.last := True
    beat.error := True
  }
  Skid(beat, "exit").m2sPipe() >> output

  private val leaves = output.fire && !output.error
  val rxPackets = RegNext(leaves && output.last) init False
  val rxBytes = RegNext(leaves ? CountOne(output.keep).resize(5) | U(0, 5 bits)) init 0
}
