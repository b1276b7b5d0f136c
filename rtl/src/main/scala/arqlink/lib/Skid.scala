// SPDX-License-Identifier: Apache-2.0
package arqlink.lib

import spinal.core._
import spinal.lib._

/** `s2mPipe` for streams of many bits: the source's ready is a register of its own, beside an equal one that the skid's own flip-flops and
  * multiplexers follow, so that neither is far from what it drives.
  */
object Skid {
  def apply[T <: Data](source: Stream[T], name: String): Stream[T] = {
    val skid = Stream(source.payloadType)
    def free(of: String) = Kept(RegInit(True) clearWhen source.valid setWhen skid.ready, s"${name}_$of")
    val (outer, inner) = (free("ready"), free("isEmpty"))
    val kept = RegNextWhen(source.payload, inner).setName(s"${name}_payload")
    source.ready := outer
    skid.valid := source.valid || !inner
    skid.payload := inner ? source.payload | kept
    skid
  }
}
