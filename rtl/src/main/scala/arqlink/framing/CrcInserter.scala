// SPDX-License-Identifier: Apache-2.0
package arqlink.framing

import spinal.core._
import spinal.lib._

import arqlink.lib.{Crc32, Invariant}

/** A beat of a unit whose CRC bytes are still blank: the last four bytes of the unit, in beats with `check`. */
case class BlankBeat(dataBytes: Int) extends Bundle {
  val data = Bits(dataBytes * 8 bits)
  val first = Bool()
  val last = Bool()

  /** The beat holds CRC bytes: all of it when dataBytes <= 4, else its last four bytes. */
  val check = Bool()

  /** In beats with `check`: write a wrong CRC. */
  val spoil = Bool()

  /** The unit is a data unit / the last one of its frame. */
  val ofFrame = Bool()
  val endsFrame = Bool()
}

/** A finished beat, with the tags that came in. */
case class FinishedBeat(dataBytes: Int) extends Bundle {
  val data = Bits(dataBytes * 8 bits)
  val last = Bool()
  val ofFrame = Bool()
  val endsFrame = Bool()
}

/** Fills in the CRC-32 of units; two register stages, three where beats are wider than four bytes; one beat a clock while `moves`; otherwise nothing
  * moves.
  *
  * A beat's own share of the CRC is made in the first stage, the sum in the second; the last one has it in its place. Wider than four bytes,
  * the CRC is the end of a beat that holds payload too, so there the shares are cut four bytes earlier: of the end of the beat before and all
  * of a beat but its end. Thus a share ends where the CRC begins.
  */
case class CrcInserter(dataBytes: Int) extends Component {
  val io = new Bundle {
    val input = slave(Flow(BlankBeat(dataBytes)))
    val moves = in Bool ()
    val output = master(Flow(FinishedBeat(dataBytes)))
  }
  private val width = dataBytes * 8
  private val wide = dataBytes > 4
  private val takes = io.input.valid && io.moves
  Invariant.when(io.input.valid && io.input.last)(io.input.check, "a unit ends without its CRC")
  if (dataBytes >= 4) Invariant.when(io.input.valid && io.input.check)(io.input.last, "a CRC comes before the end of its unit")

  val beat = new Area {
    val valid = RegNextWhen(io.input.valid, io.moves, init = False)
    val held = RegNextWhen(io.input.payload, takes)
    private val before = wide generate RegNextWhen(io.input.last ? B(0, 32 bits) | io.input.data.takeHigh(32), takes, init = B(0, 32 bits))
    private val window = if (wide) io.input.data.resize(width - 32) ## before else io.input.data
    val shares = if (wide) RegNextWhen(Crc32.shares(window, io.input.first, width - 32), takes) else Vec(held.data)
  }

  val crc = new Area {
    import beat.held

    /** Of the unit's beats before; narrow: in check beats, what is still to be sent of it. */
    val state = Reg(Bits(32 bits)) init Crc32.empty(width)
    val next = Crc32.sum(beat.shares, state, width)
    when(beat.valid && io.moves) {
      state := next
      if (dataBytes < 4) when(held.check)(state := state.dropLow(width).resized)
      when(held.last)(state := Crc32.empty(width))
    }
  }

  val output = new Area {

    /** A stage of its own where the CRC is the sum of this beat, too. */
    private def staged[T <: Data](x: T): T = if (wide) RegNextWhen(x, beat.valid && io.moves) else x
    private val valid = if (wide) RegNextWhen(beat.valid, io.moves, init = False) else beat.valid
    private val held = staged(beat.held)
    private val sum = if (wide) staged(crc.next) else if (dataBytes < 4) crc.state.resize(width) else crc.state
    private val sent = held.spoil ? sum | ~sum
    private val finished = FinishedBeat(dataBytes)
    finished.assignSomeByName(held)
    when(held.check)(finished.data := (if (wide) sent ## held.data.resize(width - 32) else sent))
    io.output.valid := RegNextWhen(valid, io.moves, init = False)
    io.output.payload := RegNextWhen(finished, valid && io.moves)
  }
}
