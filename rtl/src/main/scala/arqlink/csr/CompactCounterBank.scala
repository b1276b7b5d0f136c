// SPDX-License-Identifier: Apache-2.0
package arqlink.csr

import spinal.core._
import spinal.lib._

import arqlink.config.LinkConfig
import arqlink.lib.Invariant
import arqlink.wire.{UnitFormat, Wire}

/** All counters of a link end, 64 bits each, in few logic cells.
  *
  * Each counter has a pending count of a few bits. A pass visits one counter after the other, four clocks each, takes its pending
  * count, and adds it to a block RAM of 16-bit words, low word first. The pending counts hold what can come between two visits at the
  * most ([[Pace]]); a simulation stops where one overflows.
  *
  * A snapshot is a pass that also writes a second RAM. Each counter is as of its visit, so the counters of a snapshot are up to
  * `CompactCounterBank.passClocks` clocks apart.
  */
class CompactCounterBank(link: LinkConfig) extends Counting {
  import CompactCounterBank._

  val io = CountingPort()
  private val counters = Counters.all

  private val pass = new Area {
    val half = Reg(UInt(2 bits)) init 0
    val index = Reg(UInt(log2Up(counters.size) bits)) init 0
    val ends = half.andR && index === counters.size - 1
    half := half + 1
    when(half.andR)(index := ends ? U(0) | (index + 1))

    // The first pass after reset takes what the RAM holds as 0, and shows that.
    val snapshotAsked, clearAsked = RegInit(False)
    val keep, zero, clear = RegInit(False)
    val isFirst = RegInit(True)
    when(ends) {
      isFirst := False
      keep := snapshotAsked
      zero := clear
      clear := clearAsked
      snapshotAsked := False
      clearAsked := False
    }
    snapshotAsked.setWhen(io.port.snapshot)
    clearAsked.setWhen(io.port.clear)
    io.port.busy := io.port.snapshot || io.port.clear || snapshotAsked || clearAsked || keep || clear || isFirst
  }
  import pass.{half, index}

  private val pending = for ((counter, i) <- counters.zipWithIndex) yield new Area {
    val count = Reg(UInt(pendingBits(counter, link) bits)) init 0
    private val event = io.events(counter.name)
    private val visited = half === 0 && index === i
    private val next = count + event.resize(count.getWidth)
    if (counter.increment == 1) {
      count := next
      when(visited)(count := 0)
    } else count := visited ? event.resize(count.getWidth) | next

    /** What comes in the clock of a visit is taken with the count, or stays. */
    val one = if (counter.increment == 1) event.asBool else False
    Invariant(visited || next >= count, s"pending count of ${counter.name} has overflowed")
  }

  private val ram = Mem(Bits(16 bits), words)
  private val copy = Mem(Bits(16 bits), words)
  ram.addAttribute("no_rw_check") // a word is read two clocks before it is written
  copy.addAttribute("no_rw_check") // software reads when no snapshot is under way

  // The count is chosen in the clock of the visit, the word read in the next, and written in the one after.
  private val add = new Area {
    private val widest = pending.map(_.count.getWidth).max
    private val chosen = Vec(pending.map(_.count.resize(widest)))(index.resized)
    val amount = RegNextWhen(chosen, half === 0)
    private val one = RegNextWhen(Vec(pending.map(_.one))(index.resized), half === 0)
    val address = RegNext(index @@ half) init 0
    val zero = RegNext(pass.zero || pass.isFirst) init True
    val keep = RegNext(pass.keep || pass.isFirst) init False
    val old = ram.readSync(index @@ half)
    private val isLow = address(1 downto 0) === 0
    val carry = Reg(Bool()) init False
    private val before = zero ? B(0, 16 bits) | old
    // One more digit makes the carry in.
    val sum = ((before ## True).asUInt +^ (amount.resize(16).andMask(isLow) @@ (isLow ? one | carry))).dropLow(1).asUInt
    carry := sum.msb
    val written = RegNext(address)
    val word = RegNext(sum.resize(16).asBits)
    ram.write(written, word)
    copy.write(written, word, RegNext(keep) init False)
  }

  // Word < level, from the low word up: the borrow of word - level.
  private val threshold = new Area {
    private val half = add.written(1 downto 0)
    val level = io.port.level.subdivideIn(16 bits)(half)
    val less = Reg(Bool())
    less := ((add.word.asUInt @@ False) -^ (level @@ (less && half =/= 0))).msb
    val judged = RegNext(half === 3 && add.written.dropLow(2).asUInt === io.port.watch) init False

    // A comparison with what was there before the level changed does not count.
    val settling = RegInit(False)
    when(half === 3)(settling := False)
    settling.setWhen(io.port.rearm)
    private val counts = RegNext(!settling && !io.port.rearm) init False
    val above = RegInit(False)
    val isAbove = !less && io.port.level.orR && !Delay(pass.clear, 3, init = False)
    when(judged && counts)(above := isAbove)
    when(io.port.rearm)(above := False)
    io.port.reached := RegNext(judged && counts && isAbove && !above && !io.port.rearm) init False
  }

  // Two reads make a word of 32 bits.
  private val read = new Area {
    val isHigh = RegNext(io.port.read) init False
    val address = RegNextWhen(io.port.address, io.port.read)
    val word = copy.readSync((isHigh ? address | io.port.address) @@ isHigh)
    io.port.data := word ## RegNext(word)
  }
}

object CompactCounterBank {

  /** From one visit of a counter to the next. */
  val passClocks: Int = 4 * Counters.all.size
  private val words = 1 << log2Up(passClocks)

  /** The most that a counter may have to hold between two visits. */
  private def most(pace: Pace, link: LinkConfig): Int = {
    // A unit is taken no faster than it comes without its CRC.
    val units = passClocks / (UnitFormat.dataBeats(link.code).min(UnitFormat.controlBeats(link.code.dataBytes)) - Wire.crcBytes) + 4
    pace match {
      case Pace.Unit    => units
      case Pace.Payload => passClocks / link.code.unitBeats + 4
      case Pace.Judges  => 3 * (passClocks / UnitFormat.controlBeats(link.code.dataBytes) + 2)
      case Pace.Outcome => link.window.windowFrames + units
      case Pace.Clock   => passClocks
      case Pace.Bytes   => passClocks * link.code.dataBytes + link.window.maxPacketBytes
      case Pace.Window  => link.window.windowFrames
      case Pace.Closes  => units * link.window.windowFrames
    }
  }

  private def pendingBits(counter: arqlink.csr.Counter, link: LinkConfig): Int = if (counter.isBuilt(link)) log2Up(most(counter.pace, link) + 1) else 1
}
