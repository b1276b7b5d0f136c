// SPDX-License-Identifier: Apache-2.0
package arqlink.channel

import spinal.core._
import spinal.lib._

import arqlink.lib.Invariant

/** Constant delay: a ring RAM addressed by time, written and read in each clock, so that gaps are kept as they are.
  *
  * A beat leaves `delay` clocks after it came, at least `DelayLine.least`. A change of `delay` empties the line; a unit
  * that is cut by this gets a last beat marked as erased, and what follows begins with a whole unit.
  */
class DelayLine(config: ChannelConfig) extends Component {
  val io = new Bundle {
    val delay = in UInt (config.delayBits bits)
    val input = slave(Flow(ChannelBeat(config.dataBytes)))
    val output = master(Flow(ChannelBeat(config.dataBytes)))
  }

  private case class Entry() extends Bundle {
    val valid = Bool()
    val content = ChannelBeat(config.dataBytes)
  }

  private val time = RegInit(U(0, config.delayBits bits))
  time := time + 1

  /** An entry is written in the clock in which it comes, read at the earliest in the next one, and leaves two later. */
  private val distance = RegNext(Mux(io.delay < DelayLine.least, U(1), io.delay - (DelayLine.least - 1))) init 1
  private val ring = Mem(Entry(), config.maxDelay)
  private val arriving = Entry()
  arriving.valid := io.input.valid
  arriving.content := io.input.payload
  ring.write(time, arriving)
  private val oldest = ring.readSync(time - distance)

  private val flush = new Area {
    val known = RegNext(distance) init 1
    val changed = distance =/= known

    /** Clocks until the entries read were written under the present distance. */
    val left = RegInit(U(DelayLine.least, config.delayBits + 1 bits))
    when(left =/= 0)(left := left - 1)
    when(changed)(left := distance +^ U(2))
    val done = left === 0 && !changed
  }

  private val framing = new Area {
    val inUnit = RegInit(False)
    val passes = oldest.valid && flush.done && (inUnit || oldest.content.first)
    val cuts = inUnit && !flush.done
    when(cuts)(inUnit := False)
    when(passes)(inUnit := !oldest.content.beat.last)
    Invariant.when(passes)(!inUnit || !oldest.content.first, "a unit begins within another one")
  }

  private val result = Reg(ChannelBeat(config.dataBytes))
  io.output.valid := RegNext(framing.passes || framing.cuts) init False
  io.output.payload := result
  when(framing.passes)(result := oldest.content)
  when(framing.cuts) {
    result.beat.last := True
    result.beat.erased := True
    result.first := False
  }
}

object DelayLine {

  /** Clocks through the line at its shortest: one to write, one to read, one in the output register. */
  val least = 3
}
