// SPDX-License-Identifier: Apache-2.0
package arqlink.csr

import spinal.core._
import spinal.lib._

/** All counters of a link end, 64 bits each, in RAM.
  *
  * Events gather in small pending sums. A pass moves all sums to a shadow set in one clock and then adds one of them to
  * the RAM in each clock. A snapshot is a pass that also writes a second RAM, so it shows all counters as of the
  * clock in which the pass began. Without events there is no pass.
  *
  * The pending sums of one-bit events are kept as bit planes: plane j holds bit j of every sum. It is the same
  * logic as one ripple counter per event, and one wide operation a plane for a simulator.
  */
class CounterBank extends Component {
  val io = new Bundle {
    val events = in(CounterEvents())
    val port = slave(CounterPort())
  }

  private val counters = Counters.all
  private val count = counters.size
  private val wide = counters.zipWithIndex.filter(_._1.increment > 1)

  /** A pass and its pipeline take count + 4 clocks, so this many bits hold what comes meanwhile. */
  private val growth = log2Up(count + 8)

  private val pulses = RegNext(
    B(counters.map(c => if (c.increment == 1) io.events(c.name).asBool else False))
  ) init 0
  private val amounts = wide.map { case (c, _) => RegNext(io.events(c.name)) init 0 }

  private val snapshotAsked = RegInit(True) // the first pass after reset clears both RAMs
  private val clearAsked = RegInit(False)
  private val dirty = RegInit(False)
  private val rearmed = RegInit(False)
  private val start = Bool()

  private val pending = new Area {
    val planes = List.fill(growth)(RegInit(B(0, count bits)))
    val sums = wide.map { case (c, _) => RegInit(U(0, c.increment + growth bits)) }

    when(start) {
      planes.head := pulses
      planes.tail.foreach(_ := 0)
    } elsewhen (pulses.orR) {
      planes.foldLeft(pulses) { (carry, plane) =>
        plane := plane ^ carry
        plane & carry
      }
    }
    for ((sum, amount) <- sums.zip(amounts))
      when(start)(sum := amount.resized) elsewhen (amount =/= 0)(sum := sum + amount)

    dirty.setWhen(pulses.orR || amounts.map(_ =/= 0).orR)
    // What arrives in the clock of the start is in the sums of the next pass.
    when(start)(dirty := pulses.orR || amounts.map(_ =/= 0).orR)
  }

  private val shadow = new Area {
    val planes = pending.planes.map(p => RegNextWhen(p, start))
    val sums = pending.sums.map(s => RegNextWhen(s, start))

    def at(index: UInt): UInt = {
      val value = UInt(32 bits)
      value := B(planes.map(_(index))).asUInt.resized
      switch(index) {
        for (((_, i), sum) <- wide.zip(sums)) is(i)(value := sum.resized)
      }
      value
    }
  }

  private val pass = new Area {
    val active = RegInit(False)
    val index = Reg(UInt(log2Up(count) bits))
    val fresh = RegInit(True) // the RAM holds nothing yet
    val keep, clear = RegInit(False)

    // 0: address, 1: low half added, 2: high half added and written
    val valid1 = RegNext(active) init False
    val valid2 = RegNext(valid1) init False
    val idle = !active && !valid1 && !valid2

    start := idle && (dirty || snapshotAsked || clearAsked || rearmed)
    when(active) {
      index := index + 1
      active.clearWhen(index === count - 1)
    }
    fresh.clearWhen(valid2 && !valid1)
    when(start) {
      active := True
      index := 0
      keep := snapshotAsked
      clear := clearAsked
      snapshotAsked := False
      clearAsked := False
      rearmed := False
    }
  }

  private val ram = Mem(Bits(64 bits), count)
  private val copy = Mem(Bits(64 bits), count)

  private val add = new Area {
    val old = ram.readSync(pass.index, pass.active)
    val addend = RegNextWhen(shadow.at(pass.index), pass.active)
    val index1 = RegNextWhen(pass.index, pass.active)

    val base = Mux(pass.fresh, B(0, 64 bits), old).asUInt
    val low = RegNextWhen(base(31 downto 0) +^ addend, pass.valid1)
    val high = RegNextWhen(base(63 downto 32), pass.valid1)
    val index2 = RegNextWhen(index1, pass.valid1)

    val sum = ((high + low.msb.asUInt) @@ low(31 downto 0)).asBits
    ram.write(index2, Mux(pass.clear, B(0, 64 bits), sum), pass.valid2)
    copy.write(index2, sum, pass.valid2 && pass.keep)
  }

  // The watched counter passes by once in a pass; its level is compared in a clock of its own.
  private val threshold = new Area {
    val passes = RegNext(pass.valid2 && add.index2 === io.port.watch) init False
    val value = RegNextWhen(Mux(pass.clear, U(0, 64 bits), add.sum.asUInt), pass.valid2)
    val above = RegInit(False)
    val isAbove = io.port.level =/= 0 && value >= io.port.level
    when(passes)(above := isAbove)
    when(io.port.rearm)(above := False)
    io.port.reached := RegNext(passes && isAbove && !above) init False
  }

  rearmed.setWhen(io.port.rearm)
  snapshotAsked.setWhen(io.port.snapshot)
  clearAsked.setWhen(io.port.clear)
  io.port.busy := io.port.snapshot || io.port.clear || snapshotAsked || clearAsked ||
    (!pass.idle && (pass.keep || pass.clear))

  private val word = copy.readSync((io.port.address >> 1).resized, io.port.read)
  private val upper = RegNextWhen(io.port.address.lsb, io.port.read)
  io.port.data := Mux(upper, word(63 downto 32), word(31 downto 0))
}
