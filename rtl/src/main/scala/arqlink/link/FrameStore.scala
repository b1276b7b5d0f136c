// SPDX-License-Identifier: Apache-2.0
package arqlink.link

import spinal.core._
import spinal.lib._

import arqlink._

/** One beat into a frame store: `slot` is the FSN's low bits, `beat` counts from the slot's start. */
case class StoreWrite(link: LinkConfig) extends Bundle {
  val slot = UInt(link.window.slotBits bits)
  val beat = UInt(link.code.slotBeatBits bits)
  val data = Bits(link.code.dataBits bits)
}

/** Asks for the first `units` units of a slot: 1 to maxK. */
case class StoreRead(link: LinkConfig) extends Bundle {
  val slot = UInt(link.window.slotBits bits)
  val units = UInt(link.code.kBits bits)
}

/** Ports of a frame store, seen from the user of it. Whatever the memory behind it:
  *
  *   - a write that was accepted is visible to every read accepted in a later clock;
  *   - the data of reads leave in the order of the reads, `last` ends each unit.
  */
case class FrameStorePort(link: LinkConfig) extends Bundle with IMasterSlave {
  val write = Stream(StoreWrite(link))
  val read = Stream(StoreRead(link))
  val data = Stream(Fragment(Bits(link.code.dataBits bits)))

  override def asMaster(): Unit = {
    master(write, read)
    slave(data)
  }
}

/** A component that is a frame store; the core uses nothing but `io`. */
trait FrameStorage extends Component {
  def io: FrameStorePort
}

/** Frame store in block RAM: one write and one read beat a clock, no bubble between reads.
  *
  * A read takes two clocks in the memory (array, then output register). Reads are issued only while the output queue
  * has room for all that are under way, so the memory needs no stall, and `data.ready` reaches no further than the
  * queue.
  */
case class FrameStore(link: LinkConfig) extends FrameStorage {
  val io = slave(FrameStorePort(link))
  noIoPrefix()
  AxiNames.units(io.data, "units")

  private val code = link.code

  /** Up to four memories, none deeper than an ECP5's block RAM of one bit a word: a choice between deeper ones would stand before
    * the RAM's output register, and here it stands behind. A store too large for that is one memory, and slow.
    */
  private val addressBits = link.window.slotBits + code.slotBeatBits
  private val bankBits = if (addressBits > 14 && addressBits <= 16) addressBits - 14 else 0
  val banks = Seq.fill(1 << bankBits)(Mem(Bits(code.dataBits bits), BigInt(1) << (addressBits - bankBits)))
  private def bankOf(address: UInt) = address.takeHigh(bankBits).asUInt
  private def place(address: UInt) = address.resize(addressBits - bankBits)

  // A clock in registers of its own: the memories are all over the device.
  io.write.ready := True
  private val writeAddress = io.write.slot @@ io.write.beat
  private val written = RegNextWhen(writeAddress, io.write.valid)
  private val writtenData = RegNextWhen(io.write.data, io.write.valid)
  for ((ram, i) <- banks.zipWithIndex) {
    ram.addAttribute("no_rw_check")
    val here = io.write.valid && (if (bankBits == 0) True else bankOf(writeAddress) === i)
    ram.write(place(written), writtenData, RegNext(here) init False)
  }

  private val read = io.read.s2mPipe()
  val queue = new ReadQueue(Fragment(Bits(code.dataBits bits)))

  // Ends are known from registers: the counters are compared a beat before.
  val reader = new Area {
    val active = RegInit(False)
    val slot = Reg(UInt(link.window.slotBits bits))
    val beat = Reg(UInt(code.slotBeatBits bits))
    val unitBeat = Reg(UInt(code.unitBeatBits bits))
    val unitsLeft = Reg(UInt(code.kBits bits))
    val endsUnit, lastUnit = Reg(Bool())

    val issue = active && queue.io.room
    val endsRead = endsUnit && lastUnit

    read.ready := !active || (queue.io.room && endsRead)
    when(issue) {
      beat := beat + 1
      unitBeat := unitBeat + 1
      endsUnit := (if (code.unitBeats == 1) True else unitBeat === code.unitBeats - 2)
      when(endsUnit) {
        unitBeat := 0
        unitsLeft := unitsLeft - 1
        lastUnit := unitsLeft.resize(code.kBits max 2) === 2
      }
      active clearWhen endsRead
    }
    when(read.fire) {
      active := True
      slot := read.slot
      beat := 0
      unitBeat := 0
      endsUnit := Bool(code.unitBeats == 1)
      unitsLeft := read.units
      lastUnit := read.units === 1
    }
  }

  private val readAddress = reader.slot @@ reader.beat
  private val words = banks.map(ram => RegNext(ram.readSync(place(readAddress), reader.active)))
  queue.io.issue := reader.issue
  queue.io.word.fragment := (if (bankBits == 0) words.head else Vec(words)(Delay(bankOf(readAddress), 2)))
  queue.io.word.last := Delay(reader.endsUnit, 2)
  queue.io.pop >> io.data
}
