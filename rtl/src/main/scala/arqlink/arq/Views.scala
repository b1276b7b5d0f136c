// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._

import arqlink.wire.Wire

/** What the sender half shows of itself, for control units and registers. Numbers are as in docs/architecture.md, "Sender". */
case class SenderView() extends Bundle {
  val txBase, txEdge, nextFsn, ackTsn, peerRxBase = Wire.sn

  /** Nothing to send and nothing being sent. */
  val idle = Bool()

  /** Frames wait, but the peer's window is full. */
  val stalled = Bool()

  /** Pulse: txBase passed an abandoned frame; `unconfirmed` until the peer's rxBase has passed it too. */
  val gaveUp, unconfirmed = Bool()
}

/** What the receiver half shows of itself, for control units. */
case class ReceiverView() extends Bundle {
  val rxBase, rxNext = Wire.sn

  /** The newest outcomes. */
  val recent = OutcomeReport()

  /** Pulse: outcomes were added. */
  val decided = Bool()

  /** Pulse: the edge of a poll has been closed and is in `rxNext`, so the poll can be answered. */
  val polled = Bool()
}

/** Where the link's state machine is, and what it asks control units for. */
case class LinkView() extends Bundle {
  val state = LinkState()
  val ownEpoch, peerEpoch = UInt(Wire.epochBits bits)
  val peerKnown = Bool()

  /** Nothing is heard from the peer. */
  val deaf = Bool()

  /** The peer has been seen up, and data may be sent. */
  val peerUp = Bool()

  /** Pulses: a hello is due; a hello asks for an answer; an outage has ended. */
  val helloDue, answerDue, outageEnded = Bool()

  /** The peer is, or was until an outage: data units may come. */
  def isRunning: Bool = state === LinkState.up || state === LinkState.outage
}
