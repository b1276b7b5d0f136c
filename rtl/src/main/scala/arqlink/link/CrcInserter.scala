// SPDX-License-Identifier: Apache-2.0
package arqlink.link

import spinal.core._
import spinal.lib._

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

/** Fills in the CRC-32 of units; two register stages, one beat a clock. */
case class CrcInserter(dataBytes: Int) extends Component {
  val io = new Bundle {
    val input = slave(Stream(BlankBeat(dataBytes)))
    val output = master(Stream(FinishedBeat(dataBytes)))
  }

  val beat = io.input.m2sPipe()

  // Holds the CRC of all up to `beat`; in check beats, what is still to be sent of it.
  val crc = Reg(Bits(32 bits))
  val before = io.input.first ? Crc32.init | crc
  when(io.input.fire) {
    if (dataBytes > 4) {
      val short = Crc32.next(crc, io.input.data.resize(dataBytes * 8 - 32))
      crc := io.input.check ? short | Crc32.next(before, io.input.data)
    } else {
      when(!io.input.check) {
        crc := Crc32.next(before, io.input.data)
      } elsewhen (beat.check) { // the payload of `beat` stays after it has left
        crc := (crc >> (dataBytes * 8 % 32)).resized
      }
    }
  }

  val finished = Stream(FinishedBeat(dataBytes))
  finished.arbitrationFrom(beat)
  finished.data := beat.data
  finished.last := beat.last
  finished.ofFrame := beat.ofFrame
  finished.endsFrame := beat.endsFrame
  val value = beat.spoil ? crc | ~crc
  when(beat.check) {
    finished.data := (if (dataBytes > 4) value ## beat.data.resize(dataBytes * 8 - 32) else value.resize(dataBytes * 8))
  }
  finished.m2sPipe() >> io.output
}
