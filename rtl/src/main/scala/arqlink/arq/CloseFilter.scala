// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink.config.LinkConfig
import arqlink.wire._

/** What a control unit of the peer closes: all transmissions with a TSN below `txEdge` have been sent in full. */
case class CloseNotice() extends Bundle {
  val txEdge = Wire.sn
  val poll = Bool()
}

/** Skips edges that close nothing where a control unit is shorter than the time an edge takes. */
object CloseFilter {

  /** Passes edges that close something, and polls. `next` may be a clock old, but does not go back. */
  def apply(link: LinkConfig, edge: Stream[CloseNotice], next: UInt): Stream[CloseNotice] =
    if (UnitFormat.controlBeats(link.code.dataBytes) >= 3) edge.halfPipe()
    else {
      val measured = edge.halfPipe().map(notice => TupleBundle(notice, !notice.poll && !Sn.behind(next, notice.txEdge))).m2sPipe()
      measured.throwWhen(measured._2).map(_._1)
    }
}
