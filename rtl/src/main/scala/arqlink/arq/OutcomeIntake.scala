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
  private val slotBits = link.window.slotBits

  /** Bits of 0 to windowFrames. */
  private val spanBits = slotBits + 1
  val io = new Bundle {
    val feedback = slave Stream ControlMessage()
    val txEdge = in(Wire.sn)
    val nextFsn = in(Wire.sn)

    /** Received or failed, of the TSN that `ackTsn` was two clocks before. */
    val outcome = master Flow Bool()
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

  // Four clocks: distances, what they say, what follows, what is done about it. The message stays on the port meanwhile.
  val measuring, comparing, judging, acting, listing = RegInit(False)
  if (!link.code.area.relaxed) io.feedback.ready := acting
  private val busy = Seq(measuring, comparing, judging, acting, listing).orR
  measuring := io.feedback.valid && !busy
  comparing := measuring
  judging := comparing
  acting := judging

  val advance = RegNext(io.feedback.rxNext - ackTsn)
  val sent = RegNext((io.txEdge - ackTsn).resize(spanBits))
  val offset = RegNext(ackTsn - io.feedback.bitmapBase)
  val baseAdvance = RegNext(io.feedback.rxBase - peerRxBase)
  val baseSpan = RegNext(io.nextFsn - peerRxBase) // the peer's window may be the larger one

  // A window is a power of two: up to that far behind are the numbers with nothing but ones in the bits above it.
  private def above(x: UInt) = x(snBits - 1 downto slotBits)
  private def within(x: UInt, span: UInt) = !x(snBits - 1 downto spanBits).orR && x.resize(spanBits) <= span
  val ahead = RegNext(within(advance, sent))
  val stale = RegNext(above(advance).andR)
  val baseAhead = RegNext(baseAdvance <= baseSpan)
  val baseStale = RegNext(above(baseAdvance).andR)
  val nothing = RegNext(advance === 0)
  val covers = RegNext(!offset(snBits - 1 downto 6).orR)

  private val judged = (ahead || stale) && (baseAhead || baseStale)
  private val tells = judged && ahead && !nothing
  val moves = RegNext(judging && judged && baseAhead) init False
  val lists = RegNext(judging && tells && covers) init False
  io.controlInvalid := RegNext(judging && !judged) init False
  io.gap := RegNext(judging && tells && !covers) init False

  // One outcome a clock, to the end of the bitmap or of what is told, whichever comes first.
  val bitmap = if (link.code.area.relaxed) io.feedback.bitmap else Reg(Bits(Wire.bitmapBits bits))
  val index = Reg(UInt(6 bits))
  val left = Reg(UInt(6 bits))
  val few = RegNext(!advance(snBits - 1 downto 6).orR)
  when(moves)(peerRxBase := io.feedback.rxBase)
  when(lists) {
    listing := True
    if (!link.code.area.relaxed) bitmap := io.feedback.bitmap
    index := offset.resized
    left := Mux(few, advance.resize(6) - 1, U(63, 6 bits))
  }
  when(listing) {
    ackTsn := ackTsn + 1
    index := index + 1
    left := left - 1
    when(index.andR || left === 0)(listing := False)
  }
  // Where the bitmap is not copied the message stays until its last bit is being read.
  if (link.code.area.relaxed) io.feedback.ready := acting && !lists || listing && (index.andR || left === 0)

  // The bit in two clocks: its byte, then itself.
  val reading = new Area {
    val valid = RegNext(listing) init False
    val byte = RegNext(bitmap.subdivideIn(8 bits)(index(5 downto 3)))
    val place = RegNext(index(2 downto 0))
  }
  io.busy := busy || reading.valid
  io.outcome.valid := RegNext(reading.valid) init False
  io.outcome.payload := RegNext(reading.byte(reading.place))
}
