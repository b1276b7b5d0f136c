// SPDX-License-Identifier: Apache-2.0
package arqlink.store

import spinal.core._
import spinal.lib._

import arqlink.axi.AxiNames
import arqlink.config.{CodeConfig, LinkConfig}
import arqlink.lib.{BeatCounter, Invariant, Kept}
import arqlink.lib.queue.ReadQueue

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
  *   - the data of reads leave in the order of the reads, `last` ends each unit;
  *   - a slot is not written between a read of it and that read's `readDone`.
  */
case class FrameStorePort(link: LinkConfig) extends Bundle with IMasterSlave {
  val write = Stream(StoreWrite(link))
  val read = Stream(StoreRead(link))
  val data = Stream(Fragment(Bits(link.code.dataBits bits)))

  /** Pulse: all of the oldest read has left the memory, and its slot may be written. */
  val readDone = Bool()

  override def asMaster(): Unit = {
    master(write, read)
    slave(data)
    in(readDone)
  }
}

/** A component that is a frame store; the core uses nothing but `io`. */
trait FrameStorage extends Component {
  def io: FrameStorePort
}

/** Frame store in block RAM: one write and one read beat a clock, no bubble between reads.
  *
  * A read takes a clock on the way to the memory, two in it (array, then output register), and one on the way back if
  * beats are wide.
  * Reads are issued only while the output queue has room for all that are under way, so the memory needs no stall, and
  * `data.ready` reaches no further than the queue.
  */
case class FrameStore(link: LinkConfig) extends FrameStorage {
  val io = slave(FrameStorePort(link))
  noIoPrefix()
  AxiNames.units(io.data, "units")

  private val code = link.code

  /** Up to four memories, none deeper than an ECP5's block RAM of one bit a word: a choice between deeper ones would be ahead of
    * the RAM's output register, and here it is behind. A store too large for that is one memory, and slow.
    */
  private val addressBits = link.window.slotBits + code.slotBeatBits
  private val bankBits = if (addressBits > 14 && addressBits <= 16) addressBits - 14 else 0
  private def bankOf(address: UInt) = address.takeHigh(bankBits).asUInt
  private def place(address: UInt) = address.resize(addressBits - bankBits)

  /** A clock late, as its source is far away; reads come to the memory later still. */
  private val write = io.write.toFlow.stage()
  private val writeAddress = write.slot @@ write.beat

  private val read = io.read.map(order => TupleBundle(order, order.units === 1)).s2mPipe()
  private val latency = FrameStore.memoryLatency(code)
  val queue = new ReadQueue(Fragment(Bits(code.dataBits bits)), latency)

  // Ends are known from registers.
  val reader = new Area {
    val active = RegInit(False)
    val slot = Reg(UInt(link.window.slotBits bits))
    val beat = Reg(UInt(code.slotBeatBits bits))
    val unitBeat = new BeatCounter(code.unitBeats)
    val unitsLeft = Reg(UInt(code.kBits bits))
    val lastUnit = Reg(Bool())

    /** Valid from a unit's second beat on. */
    private val areTwo = unitsLeft.resize(code.kBits max 2) === 2
    private val nextIsLast = RegNext(areTwo)

    val issue = active && queue.io.room
    val endsRead = unitBeat.last && lastUnit

    read.ready := !active || (queue.io.room && endsRead)
    when(issue) {
      beat := beat + 1
      unitBeat.step()
      when(unitBeat.last) {
        unitsLeft := unitsLeft - 1
        lastUnit := nextIsLast
      }
      active clearWhen endsRead
    }
    when(read.fire) {
      active := True
      slot := read._1.slot
      beat := 0
      unitsLeft := read._1.units
      lastUnit := read._2
    }
  }

  io.readDone := RegNext(reader.issue && reader.endsRead) init False

  Invariant.when(io.read.valid)(io.read.units =/= 0 && Invariant.atMost(io.read.units, code.maxK), "a frame is read that no slot holds")
  Invariant.when(io.write.valid)(Invariant.atMost(io.write.beat, code.maxK * code.unitBeats - 1), "a frame is written that no slot holds")
  Invariant.when(io.write.valid && reader.active)(io.write.slot =/= reader.slot, "a slot is written while it is read")

  private val readAddress = reader.slot @@ reader.beat

  // The memories are all over the device. A lane has address registers of its own: a byte, or fewer bits if that takes too many block RAMs, or all
  // bits that share one.
  private val ramBits = ((1 << 14) >> addressBits) max 1
  private val mostBits = 8 min FrameStore.ramsPerLane * ramBits
  private val laneBits = code.dataBits min (mostBits max ramBits)
  val lanes = for (lane <- 0 until code.dataBits / laneBits) yield new Area {
    private def local[T <: Data](x: T, name: String): T = Kept(RegNext(x), s"${name}_$lane")
    private def local(x: Bool, name: String): Bool = local[Bool](x, name).init(False)
    private val written = local(place(writeAddress), "written")
    private val data = local(write.data(laneBits * lane, laneBits bits), "data")
    private val reads = local(reader.active, "reads")
    private val asked = local(readAddress, "asked")
    private val words = for (bank <- 0 until 1 << bankBits) yield {
      val ram = Mem(Bits(laneBits bits), BigInt(1) << (addressBits - bankBits)).setName(s"ram_${lane}_$bank")
      ram.addAttribute("no_rw_check")
      val isHere = if (bankBits == 0) True else bankOf(writeAddress) === bank
      ram.write(written, data, local(write.valid && isHere, s"writes_$bank"))
      RegNext(ram.readSync(place(asked), reads))
    }
    private val given = if (bankBits == 0) words.head else Vec(words)(Delay(bankOf(asked), 2))
    val word = if (code.isWide) RegNext(given) else given
  }
  queue.io.issue := reader.issue
  queue.io.word.fragment := Cat(lanes.map(_.word))
  queue.io.word.last := Delay(reader.unitBeat.last, latency)
  queue.io.pop >> io.data
}

object FrameStore {

  /** Block RAMs that share a register for their address, at most. */
  private val ramsPerLane = 4

  /** From an address to its word: on the way there, the array, its output register, and on the way back. */
  private def memoryLatency(code: CodeConfig): Int = if (code.isWide) 4 else 3

  /** Most clocks from a read that comes alone to its first beat: until it is begun, in the memory, and in the queue. */
  def readLatency(code: CodeConfig): Int = 3 + memoryLatency(code)
}
