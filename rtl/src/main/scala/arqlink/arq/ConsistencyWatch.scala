// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink.lib.Invariant

/** What one part of a link end thinks of a control unit: a pulse each. */
case class Judgement() extends Bundle {
  val accepted, rejected = Bool()
}

/** Decides when the link has to restart because what the peer sends cannot be true (docs/architecture.md, "Contradictions").
  *
  * A control unit that passed its CRC by chance is rejected, and that is all. Two periods in which nothing but rejected ones came show that this end, or the
  * peer, has accepted such a one.
  */
class ConsistencyWatch extends Component {
  val io = new Bundle {
    val running = in Bool ()

    /** Pulse: a poll timer's period ends. */
    val tick = in Bool ()

    /** Of the feedback, of txEdge and of txBase. */
    val feedback, edge, base = in(Judgement())

    /** Pulse: what the peer believes to be received has not come. */
    val contradiction = in Bool ()

    /** A period had rejected control units only, and none was accepted since: a poll shows whether it stays so. */
    val suspicious = out Bool ()

    /** Pulse: restart the link. */
    val resync = out Bool ()
  }

  private class Watched(judgement: Judgement) extends Area {
    val accepted, rejected, strike = RegInit(False)
    val isBad = rejected && !accepted
    when(io.tick) {
      accepted := False
      rejected := False
      when(isBad)(strike := True)
    }
    when(accepted)(strike := False)
    when(judgement.accepted)(accepted := True)
    when(judgement.rejected)(rejected := True)
    when(!io.running) {
      rejected := False
      strike := False
    }
    val failed = io.tick && isBad && strike
  }
  private val all = Seq(io.feedback, io.edge, io.base).map(new Watched(_))
  io.suspicious := all.map(watched => watched.isBad || watched.strike).reduce(_ || _)
  Invariant.when(io.resync)(RegNext(io.running) init False, "a link that is not up contradicts itself")
  io.resync := RegNext(io.running && (io.contradiction || all.map(_.failed).reduce(_ || _))) init False
}
