// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink._
import arqlink.link._

/** Turns control units into outcomes of the sender's own transmissions, strictly in TSN order and each once.
  *
  * A message is taken whole or not at all: rxNext must lie within ackTsn … txEdge and rxBase within the last rxBase …
  * nextFsn, so that nothing from the air can free what was not sent. One outcome leaves per clock.
  */
class OutcomeIntake(link: LinkConfig) extends Component {
  private val snBits = Wire.snBits
  val io = new Bundle {
    val feedback = slave Stream ControlMessage()
    val txEdge = in(Wire.sn)
    val nextFsn = in(Wire.sn)

    /** Outcome of TSN `tsn`: received or failed; tsn = ackTsn at that moment. */
    val outcome = master Flow new Bundle {
      val tsn = Wire.sn
      val received = Bool()
    }
    val ackTsn = out(Wire.sn)
    val peerRxBase = out(Wire.sn)

    /** Pulse: a message showed that outcomes are missing that it did not hold. */
    val gap = out Bool ()
    val busy = out Bool ()
    val controlInvalid = out Bool ()
  }

  val ackTsn = Reg(Wire.sn) init 0
  val peerRxBase = Reg(Wire.sn) init 0
  io.ackTsn := ackTsn
  io.peerRxBase := peerRxBase

  // Stage 1: distances, registered so that the checks below have a clock of their own.
  private def toRange(x: UInt, base: UInt) = RegNext(x - base)
  val checking, judging, listing = RegInit(False)
  io.busy := checking || judging || listing
  io.feedback.ready := judging
  checking := io.feedback.valid && !checking && !judging && !listing
  judging := checking

  val advance = toRange(io.feedback.rxNext, ackTsn)
  val sent = toRange(io.txEdge, ackTsn)
  val offset = toRange(ackTsn, io.feedback.bitmapBase)
  val baseAdvance = toRange(io.feedback.rxBase, peerRxBase)
  val baseSpan = toRange(io.nextFsn, peerRxBase)

  // Stage 2: judge the message.
  private val window = link.window.windowFrames
  val ahead = advance <= sent
  val stale = advance.msb && (U(0, snBits bits) - advance) <= window
  val baseAhead = baseAdvance <= baseSpan
  val baseStale = baseAdvance.msb && (U(0, snBits bits) - baseAdvance) <= window
  val valid = (ahead || stale) && (baseAhead || baseStale)
  val covers = offset < Wire.bitmapBits
  val news = ahead && advance =/= 0

  io.controlInvalid := judging && !valid
  io.gap := judging && valid && news && !covers

  // Stage 3: walk through the bitmap; first past what is known, eight bits a clock while possible.
  val bitmap = Reg(Bits(Wire.bitmapBits bits))
  val skip = Reg(UInt(6 bits))
  val room = Reg(UInt(7 bits))
  val left = Reg(Wire.sn)
  when(judging && valid) {
    when(baseAhead)(peerRxBase := io.feedback.rxBase)
    when(news && covers) {
      listing := True
      bitmap := io.feedback.bitmap
      skip := offset.resized
      room := (U(Wire.bitmapBits) - offset.resize(7)).resized
      left := advance
    }
  }

  io.outcome.valid := False
  io.outcome.tsn := ackTsn
  io.outcome.received := bitmap(0)
  when(listing) {
    when(skip >= 8) {
      bitmap := bitmap |>> 8
      skip := skip - 8
    } elsewhen (skip =/= 0) {
      bitmap := bitmap |>> 1
      skip := skip - 1
    } otherwise {
      io.outcome.valid := True
      bitmap := bitmap |>> 1
      ackTsn := ackTsn + 1
      room := room - 1
      left := left - 1
      when(room === 1 || left === 1)(listing := False)
    }
  }
}
