// SPDX-License-Identifier: Apache-2.0
package arqlink.phy

import spinal.core._
import spinal.lib._

import arqlink.axi.PhyBeat

/** Units in beats of another width, byte 0 first. */
object BeatWidth {

  /** `units` in beats of `to` bytes. Each byte keeps its mark. A unit that is no multiple of `to` bytes ends in a beat of which the rest is of any value. */
  def apply(units: Stream[PhyBeat], to: Int): Stream[PhyBeat] = {
    def marked(dataBytes: Int) = Stream(Fragment(Bits(9 * dataBytes bits)))
    val from = widthOf(units.data) / 8
    val (input, output) = (marked(from), marked(to))
    input.arbitrationFrom(units)
    input.last := units.last
    input.fragment := Cat(units.data.subdivideIn(8 bits).map(byte => units.erased ## byte))
    StreamFragmentWidthAdapter(input, output, earlyLast = true)

    val bytes = output.fragment.subdivideIn(9 bits)
    val beat = PhyBeat(to)
    beat.data := Cat(bytes.map(_.resize(8)))
    beat.last := output.last
    beat.erased := Cat(bytes.map(_.msb)).orR
    output.translateWith(beat)
  }
}
