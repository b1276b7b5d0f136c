// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

import arqlink._

/** Holds the final sums of a frame while its missing units are read out, one lane after the other.
  *
  * The memory is a ring of words, one per beat of a unit; a word is given up when the last lane has read it. So there is
  * room for the sums of the next frame while this one is still being read.
  */
class RecoveredStore(code: CodeConfig) extends Component {
  val laneBits = Lanes.bits(code)
  val margin = 8
  val depth = 1 << log2Up(2 * code.unitBeats + margin)
  val io = new Bundle {
    val push = slave(Flow(Vec(Bits(8 * code.maxParity bits), code.dataBytes)))

    /** At most `margin` further words fit. */
    val almostFull = out Bool ()

    /** Number of missing data units less one of each frame that has any. */
    val lastTarget = slave(Stream(UInt(laneBits bits)))
    val output = master(Stream(Bits(code.dataBits bits)))
  }

  val ringBits = log2Up(depth)
  val writeAt, base = Reg(UInt(ringBits bits)) init 0
  val held = Reg(UInt(ringBits + 1 bits)) init 0
  io.almostFull := held >= depth - margin

  val beat = Reg(UInt(code.unitBeatBits bits)) init 0
  val lane = Reg(UInt(laneBits bits)) init 0
  val lastBeat = beat === code.unitBeats - 1
  val lastLane = lane === io.lastTarget.payload

  case class Read() extends Bundle {
    val address = UInt(ringBits bits)
    val lane = UInt(laneBits bits)
  }
  val read = Stream(Read())
  // In the last pass the base follows, so that the word is always the first one.
  val offset = lastLane ? U(0) | beat
  read.valid := io.lastTarget.valid && held > offset.resized
  read.address := (base + offset.resized).resized
  read.lane := lane
  io.lastTarget.ready := read.fire && lastBeat && lastLane

  when(read.fire) {
    beat := beat + 1
    when(lastBeat) {
      beat := 0
      lane := lastLane ? U(0) | lane + 1
    }
    when(lastLane)(base := base + 1)
  }
  val given = read.fire && lastLane
  when(io.push.valid)(writeAt := writeAt + 1)
  when(io.push.valid =/= given)(held := io.push.valid ? (held + 1) | (held - 1))

  val words = io.push.payload.zipWithIndex.map { case (word, b) =>
    val store = Mem(Bits(8 * code.maxParity bits), depth).setName(s"words_$b")
    store.write(writeAt, word, io.push.valid)
    store.readSync(read.address, enable = read.fire)
  }
  // A register stage of its own behind the block RAM, another one behind the choice of the lane.
  case class Word() extends Bundle {
    val lanes = Vec(Bits(8 * code.maxParity bits), code.dataBytes)
    val lane = UInt(laneBits bits)
  }
  val word = read.m2sPipe().map { r =>
    val w = Word()
    w.lanes := Vec(words)
    w.lane := r.lane
    w
  }.m2sPipe()
  io.output << word.map(w => Lanes.select(w.lanes, w.lane)).m2sPipe()
}
