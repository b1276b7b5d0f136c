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

/** Fills in the CRC-32 of units; three register stages; one beat a clock while `moves`; otherwise nothing moves.
  *
  * A beat's own share of the CRC is made in the first stage, their sum and the state in the second, and the last one puts it in its place. Wider than four
  * bytes, the CRC is the end of a beat that holds payload too, so there the shares are cut four bytes earlier: of the end of the beat before and all
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
    val shares = RegNextWhen(Crc32.shares(window), takes)
  }

  val sum = new Area {
    val valid = RegNextWhen(beat.valid, io.moves, init = False)
    private val moves = beat.valid && io.moves
    val held = RegNextWhen(beat.held, moves)
    private val begin = Crc32.begin(width, if (wide) 32 else 0)
    val register = Reg(Bits(32 bits)) init begin
    private val next = Crc32.step(register, beat.shares)
    when(moves)(register := beat.held.last ? begin | next)

    /** State of the beats before the CRC; where that takes more than one beat, what is still to be sent of it. */
    val crc =
      if (wide) Crc32.state(RegNextWhen(next, moves), width)
      else {
        val left = Reg(Bits(32 bits))
        when(moves)(left := Crc32.state(register, width))
        if (dataBytes < 4) when(moves && held.check)(left := left.dropLow(width).resized)
        left
      }
  }

  val output = new Area {
    private val bytes = sum.crc.resize(width min 32)
    private val sent = sum.held.spoil ? bytes | Crc32.sent(bytes)
    private val finished = FinishedBeat(dataBytes)
    finished.assignSomeByName(sum.held)
    when(sum.held.check)(finished.data := sent ## sum.held.data.resize(width - (width min 32)))
    io.output.valid := RegNextWhen(sum.valid, io.moves, init = False)
    io.output.payload := RegNextWhen(finished, sum.valid && io.moves)
  }
}
