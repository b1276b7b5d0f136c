// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

import arqlink._

/** Holds the final sums of a frame while its missing units are read out, one lane after the other.
  *
  * The memory is a ring of words, one per beat of a unit; a word is given up when the last lane has read it. So there is
  * room for the sums of the next frames while this one is still being read.
  */
class RecoveredStore(code: CodeConfig) extends Component {
  val shape = GeneratorShape(code)
  val margin = 8
  val depth = 1 << log2Up(2 * code.unitBeats + 2 * margin)
  val io = new Bundle {
    val push = slave(Flow(MacSums(code)))

    /** More than `margin` further words fit. */
    val room = out Bool ()

    /** Number of missing data units less two, of each frame that has any. */
    val targets = slave(Stream(SInt(shape.targetBits + 1 bits)))
    val output = master(Stream(Bits(code.dataBits bits)))
  }

  val ringBits = log2Up(depth)
  val writeAt, base, at = Reg(UInt(ringBits bits)) init 0
  val beat = new BeatCounter(code)

  /** Bytes that may be on their way to the output, so that nothing behind the memory has to stall. */
  val ahead = 16
  val queue = new CreditQueue(Bits(code.dataBits bits), ahead)
  io.output << queue.io.pop
  val left = RegNext(io.output.fire) init False
  val free = Reg(SInt(log2Up(ahead) + 1 bits)) init (ahead - 1)

  val active = RegInit(False)
  val targets = Reg(SInt(shape.targetBits + 1 bits))
  val firstLane = Reg(Bool())
  val lane = Reg(UInt(Lanes.bits(code) bits))

  // Words that no lane has read yet, less one: only the first lane has to wait for them.
  val fresh = Reg(SInt(ringBits + 1 bits)) init -1
  val read = active && (!firstLane || !fresh.msb) && !free.msb
  when(read =/= left)(free := read ? (free - 1) | (free + 1))
  val freshRead = read && firstLane
  when(io.push.valid =/= freshRead)(fresh := io.push.valid ? (fresh + 1) | (fresh - 1))

  // Words left less the margin less one. A word counts as free a clock late.
  val places = Reg(SInt(ringBits + 1 bits)) init (depth - margin - 1)
  val freed = RegNext(read && targets.msb) init False
  when(io.push.valid =/= freed)(places := io.push.valid ? (places - 1) | (places + 1))
  io.room := !places.msb

  val laneDone = read && beat.last
  when(read) {
    beat.step()
    at := at + 1
  }
  when(laneDone) {
    firstLane := False
    lane := lane + 1
    targets := targets - 1
    at := base
    when(targets.msb) {
      at := at + 1
      base := at + 1
    }
  }
  io.targets.ready := !active || (laneDone && targets.msb)
  when(io.targets.ready) {
    active := io.targets.valid
    targets := io.targets.payload
    firstLane := True
    lane := 0
  }

  when(io.push.valid)(writeAt := writeAt + 1)
  // Block RAM, its output register, the choice of the lane, the bytes that its sums make.
  val fetched = RegNext(read) init False
  val given = RegNext(fetched) init False
  val chosen = RegNext(given) init False
  val laneGiven = RegNextWhen(RegNextWhen(lane, read), fetched)
  val sums = MacSums(code)
  for ((word, i) <- io.push.words.zipWithIndex) {
    val store = Mem(Bits(4 * code.maxParity bits), depth).setName(s"words_$i")
    store.addAttribute("no_rw_check")
    store.addAttribute("ram_style", "block")
    store.write(writeAt, word, io.push.valid)
    sums.words(i) := RegNextWhen(store.readSync(at, enable = read), fetched)
  }
  val products = RegNextWhen(sums.lane(laneGiven), given)
  queue.io.push.valid := RegNext(chosen) init False
  queue.io.push.payload := RegNextWhen(MacSums.reduce(products), chosen)
}
