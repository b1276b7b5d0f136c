// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink.config.LinkConfig
import arqlink.lib.{Invariant, SeqNum}
import arqlink.wire._

/** The one transmission whose units may arrive now. The link is FIFO and the units of a transmission follow each other, so it is in
  * registers.
  *
  * It has TSN `next` while it is `open`. What is known of its frame stays when it is closed: the frame may be sent again right behind it.
  */
class TransmissionInProgress(link: LinkConfig) extends Area {
  private val code = link.code

  /** All transmissions with a TSN below have been decided. */
  val next = Reg(Wire.sn) init link.firstSn

  /** A unit of it has come. */
  val open = RegInit(False)
  val fsn = Reg(Wire.sn)
  val frame = Reg(ReceivedFrame(code))

  /** The newest two units say that it is a last try: if it fails the frame is dead. */
  val lastTry = Reg(Bool())

  /** The frame was complete before the transmission began. */
  val duplicate = Reg(Bool())

  /** The frame is complete; K units have come, or it was complete before. */
  val isComplete = RegInit(False)

  /** A parity unit is among the units in the store. */
  val repaired = Reg(Bool())

  /** Units that are missing, while the frame is not complete. */
  val missing = Reg(UInt(code.kBits bits))

  /** `next` goes up to `tsn`: what is below has been decided. */
  def moveTo(tsn: UInt): Unit = {
    Invariant(!SeqNum.isBelow(tsn, next), "rxNext goes back")
    open := False
    next := tsn
  }

  /** The first unit of a transmission has come. */
  def begin(tx: Transmission, isKnown: Bool): Unit = {
    open := True
    fsn := tx.fsn
    frame.preset := tx.preset
    duplicate := isKnown
    frame.received := 0
    repaired := False
  }

  /** A unit goes into the store; `place` has its bit among the units of the frame, and `left` are missing before it. */
  def store(place: Bits, left: UInt, isParity: Bool): Unit = {
    Invariant(left =/= 0, "a unit is stored of a frame that is complete")
    missing := left - 1
    for ((bit, isHere) <- frame.received.asBools.zip(place.asBools)) when(isHere)(bit := True)
    repaired setWhen isParity
  }
}
