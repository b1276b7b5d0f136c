// SPDX-License-Identifier: Apache-2.0
package arqlink.csr

import spinal.core._
import spinal.lib.{Counter => _, _}

import arqlink.lib.Invariant

/** How registers and counters talk: a snapshot is asked for, and read word by word, two clocks after `read`. `reached` is a
  * pulse when counter `watch` gets to `level`, or is found there after `rearm`; level 0 is never reached.
  */
case class CounterPort(counters: Int) extends Bundle with IMasterSlave {
  val snapshot = Bool()
  val clear = Bool()
  val busy = Bool()
  val read = Bool()

  /** Low and high half of each counter. */
  val address = UInt(log2Up(CounterBank.slots(counters) + 1) bits)
  val data = Bits(32 bits)
  val watch = UInt(8 bits)
  val level = UInt(64 bits)
  val rearm = Bool()
  val reached = Bool()

  override def asMaster(): Unit = {
    out(snapshot, clear, read, address, watch, level, rearm)
    in(busy, data, reached)
  }
}

/** All counters of a link end, 64 bits each, in block RAM.
  *
  * Events gather in [[PendingCounts]]. Passes follow each other without a gap: each takes all pending counts in one clock and
  * adds them to the RAM, one 32-bit word a clock, low word first. A snapshot is a pass that also writes a second RAM, so it
  * shows all counters as of the clock in which the pass began.
  */
class CounterBank(counters: Seq[Counter] = Counters.all) extends Component {
  private val slots = CounterBank.slots(counters.size)
  val io = new Bundle {
    val events = in(CounterEvents(counters))
    val port = slave(CounterPort(counters.size))
  }

  private val start = RegInit(True)

  private val pass = new Area {

    /** The first start takes two clocks: all that holds counts is cleared before it is taken, without a reset. */
    val first = RegNext(False) init True
    val slot = Reg(UInt(log2Up(slots) bits)) init 0
    slot := slot + 1
    when(start)(slot := 0)
    start := slot === slots - 2 || first

    // The first pass after reset writes zeros, as no event has been seen when it begins.
    val snapshotAsked = RegInit(True)
    val clearAsked = RegInit(False)
    val keep = RegInit(False)
    val clear = RegInit(True)

    /** What the RAM holds is not a count: after reset, and after a pass that clears. */
    val zero = RegInit(False)
    when(start && !first) {
      keep := snapshotAsked
      clear := clearAsked
      zero := clear
      snapshotAsked := False
      clearAsked := False
    }
    snapshotAsked.setWhen(io.port.snapshot)
    clearAsked.setWhen(io.port.clear)
    io.port.busy := io.port.snapshot || io.port.clear || snapshotAsked || clearAsked || keep || clear

    // The slot in each stage; a word's address is counter and half.
    val stages = Vector.iterate(slot, 8)(RegNext(_))
  }
  import pass.stages
  Invariant(pass.slot < slots, "a pass is longer than pending counts can wait")

  private val pending = new PendingCounts(io.events, slots, start, stages)

  private val ram = Mem(Bits(32 bits), slots + 1)
  private val copy = Mem(Bits(32 bits), slots + 1)
  ram.addAttribute("no_rw_check") // a word is read four clocks before it is written
  copy.addAttribute("no_rw_check") // software reads when no snapshot is under way

  private val add = new Area {
    val old = RegNext(ram.readSync(stages(3)))
    val base = RegNext(Mux(pass.zero, B(0, 32 bits), old))
    val isHigh = stages(6).lsb
    val word = Reg(UInt(32 bits))
    val carry = Reg(Bool())
    // Two more digits make the carry in: of the low word for the high one, and `one`, without a LUT ahead of the adder.
    private val sum = ((base ## True ## isHigh).asUInt +^ (pending.addend.resize(32) @@ pending.one @@ carry)).dropLow(2).asUInt
    word := sum(31 downto 0)
    carry := sum.msb
    when(!stages(5).lsb)(carry := False) // a low word comes next: nobody uses it, but an X in it would go from sum to sum
    ram.write(stages(7), word.asBits)
    copy.write(stages(7), word.asBits, pass.keep)
  }

  // value < level, word by word: the borrow of value - level.
  private val threshold = new Area {
    val level = RegNext(Mux(add.isHigh, io.port.level(63 downto 32), io.port.level(31 downto 0)))
    val any = RegNext(io.port.level(63 downto 32).orR) || RegNext(io.port.level(31 downto 0).orR)
    val less = Reg(Bool())
    less := ((add.word @@ False) -^ (level @@ (less && stages(7).lsb))).msb
    val watched = RegNext(stages(7).lsb && stages(7).dropLow(1).asUInt === io.port.watch) init False

    // A comparison with what was there before the level changed does not count.
    val settling = History(io.port.rearm, 1 to 4, init = False).orR
    val above = RegInit(False)
    val isAbove = !less && any && !RegNext(pass.clear) // the last word is judged when the next pass has begun
    val judged = watched && !settling
    when(judged)(above := isAbove)
    when(io.port.rearm)(above := False)
    // Both words' comparisons, and the registers ahead of them.
    Invariant.when(judged)(!History(io.port.level =/= RegNext(io.port.level), 0 to 2, init = False).orR, "a counter is compared with halves of two levels")
    io.port.reached := RegNext(judged && isAbove && !above && !io.port.rearm) init False
  }

  io.port.data := RegNext(copy.readSync(io.port.address, io.port.read))
}

object CounterBank {

  /** Clocks of a pass: two for each counter, and seven until the last word is written. Pending counts hold as many events. */
  def slots(counters: Int): Int = PendingCounts.most(2 * counters + 7)
}
