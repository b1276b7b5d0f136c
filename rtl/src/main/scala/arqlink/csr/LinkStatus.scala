// SPDX-License-Identifier: Apache-2.0
package arqlink.csr

import spinal.core._

/** What register STATUS and EPOCH show; `state` as in docs/architecture.md, "Link". */
case class LinkStatus() extends Bundle {
  val state = UInt(3 bits)
  val peerKnown = Bool()
  val stalled = Bool()
  val outage = Bool()
  val ownEpoch = UInt(8 bits)
  val peerEpoch = UInt(8 bits)
}

/** Pulses that set sticky bits of register ERROR, in the order of these. */
case class LinkErrors() extends Bundle {
  val dropZero = Bool()
  val dropOversize = Bool()
  val dropAbort = Bool()
  val dropKeep = Bool()
  val phyLength = Bool()
  val badHeader = Bool()
  val controlInvalid = Bool()
  val unitInvalid = Bool()
  val peerMismatch = Bool()
  val peerRestart = Bool()
  val outage = Bool()
  val linkUp = Bool()
  val linkDown = Bool()
  val rxOverflow = Bool()
  val packetCorrupt = Bool()
  val resync = Bool()
  val frameFailing = Bool()
}
