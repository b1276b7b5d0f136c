// SPDX-License-Identifier: Apache-2.0
package arqlink.csr

import spinal.core._
import spinal.lib._

/** Counts of the events since the last `start`, and the way to one of them: part of [[CounterBank]].
  *
  * One-bit events are counted by a linear feedback shift register each: one LUT instead of an adder, and a table behind
  * the selection turns its state into a number. Selection is by flip-flops that are held in reset unless chosen, so that
  * only ORs need LUTs. What may come in every clock has an adder: shift registers are left alone in clocks without any of
  * their events, which are most, for simulators.
  *
  * @param most   events that each one-bit counter can wait with
  * @param start  takes all counts in this clock; they begin again with what comes in the next clock. After reset it is high for
  *               two clocks, and the first one clears what the other one takes
  * @param stages slot of the pass, and the same 1, 2 … clocks later; the count of slot 2i is at `addend` and `one` in stage 6
  */
class PendingCounts(events: CounterEvents, most: Int, start: Bool, stages: Seq[UInt]) extends Area {
  import PendingCounts._

  private val counters = events.counters
  private val stateBits = log2Up(most + 1)
  private val columns = (counters.size + rows - 1) / rows
  private val (wide, narrow) = counters.zipWithIndex.partition { case (counter, _) => counter.increment > 1 || counter.everyClock }

  private val pulses = RegNext(B(narrow.map { case (counter, _) => events(counter.name).asBool })) init 0
  private val any = pulses.orR

  /** Bit j of each one-bit counter's state is in plane j. */
  private val planes = Seq.fill(stateBits)(Reg(Bits(narrow.size bits)))

  /** States at `start`, and the events in that clock, which the states do not know. */
  private val captured = (planes :+ pulses).map(RegNextWhen(_, start))
  private val counts = narrow.zipWithIndex.map { case ((_, index), i) => index -> Cat(captured.map(_(i))) }.toMap
  private val table = Seq.tabulate(columns) { column =>
    Cat((0 until rows).map(row => counts.getOrElse(column * rows + row, B(0, stateBits + 1 bits))))
  }

  when(start) {
    planes.foreach(_ := 0)
  } elsewhen (any) {
    for (i <- narrow.indices) when(pulses(i)) {
      planes.head(i) := next(planes.map(_(i)))
      for ((from, to) <- planes.zip(planes.tail)) to(i) := from(i)
    }
  }

  private def only(choice: Bool, value: Bits): Bits = {
    val masked = Reg(Bits(value.getWidth bits))
    masked := 0
    when(choice)(masked := value)
    masked
  }

  private val chosen = new Area {
    // Stage 0: a column, which stays for as many clocks as it has words.
    private val last = stages(0)(log2Up(2 * rows) - 1 downto 0).andR
    private val columnChoice = Reg(Bits(columns bits))
    when(last)(columnChoice := (columnChoice ## False).resized)
    when(start)(columnChoice := 1)
    private val masked = table.zipWithIndex.map { case (entries, i) => only(columnChoice(i), entries) }
    private val column = RegNext(masked.reduceBalancedTree(_ | _))

    // Stage 2: a row of it.
    private val rowIndex = stages(2)(log2Up(2 * rows) - 1 downto 1)
    private val row = column.subdivideIn(stateBits + 1 bits).zipWithIndex.map { case (r, i) => only(rowIndex === i, r) }
    val entry = RegNext(row.reduceBalancedTree(_ | _))

    /** Stage 5. */
    val number = RegNext(count(entry(stateBits - 1 downto 0).asUInt))
    val event = RegNext(entry.msb)
  }

  private val sums = new Area {
    val chosen = wide.map { case (counter, index) =>
      val amount = RegNext(events(counter.name)) init 0
      val total = Reg(UInt(counter.increment + stateBits bits))
      val after = total + amount
      total := after
      when(start)(total := 0)
      val captured = RegNextWhen(after, start)
      only(RegNext(stages(3) === 2 * index), captured.asBits).asUInt.resize(wide.map(_._1.increment).max + stateBits)
    }
  }

  /** Stage 6. */
  val addend = Reg(UInt(sums.chosen.head.getWidth bits))
  addend := sums.chosen.reduceBalancedTree(_ | _) | chosen.number.resized

  /** To be added as well. */
  val one = Reg(Bool())
  one := chosen.event
  when(stages(5).lsb) {
    addend := 0
    one := False
  }
}

object PendingCounts {
  private val rows = 4

  /** Bits of a shift register -> those that feed it: x^7 + x^6 + 1, x^8 + x^6 + x^5 + x^4 + 1. Inverted, so that it starts at 0, and all states but
    * one follow each other.
    */
  private val taps = Map(7 -> Seq(6, 5), 8 -> Seq(7, 5, 4, 3))

  /** The least number of states that are `needed` or more. */
  def most(needed: Int): Int = taps.keys.map(bits => (1 << bits) - 1).toSeq.sorted.find(_ >= needed).getOrElse {
    throw new IllegalArgumentException(s"counters that are added up every $needed clocks; they can be every ${(1 << taps.keys.max) - 1}")
  }

  /** The bit that comes in. */
  private def next(state: Seq[Bool]): Bool = !taps(state.size).map(state(_)).reduce(_ ^ _)
  private def next(bits: Int)(state: Int): Int = (state << 1 | ~taps(bits).map(state >> _).reduce(_ ^ _) & 1) & ((1 << bits) - 1)

  private def count(state: UInt): UInt = {
    val bits = state.getWidth
    val states = (1 << bits) - 1
    val counts = Seq.iterate(0, states)(next(bits)).zipWithIndex.toMap
    require(counts.size == states)
    Vec((0 to states).map(s => U(counts.getOrElse(s, 0), bits bits)))(state)
  }
}
