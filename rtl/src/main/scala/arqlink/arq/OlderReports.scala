// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink._
import arqlink.link._

/** Chooses which older outcomes are shown: a repeat of each pair of blocks some time after it was recent, and, after a poll that asks for them,
  * a series of all from its ackTsn on (docs/architecture.md, "Receiver", 4).
  */
class OlderReports(link: LinkConfig) extends Component {
  val io = new Bundle {

    /** A peer is up; otherwise all is forgotten. */
    val running = in Bool ()

    /** ackTsn of each control unit of the peer. */
    val peerAck = slave Flow Wire.sn

    /** ackTsn of a poll that is being answered. */
    val asked = slave Flow Wire.sn

    val current = in(OutcomeLog.blockNumber)
    val lookup = master Stream OutcomeLog.blockNumber
    val found = slave Stream OutcomeReport()

    /** To be sent, `OlderReports.pace` clocks apart at least. */
    val report = master Stream OutcomeReport()
  }
  private val blocks = link.window.windowFrames / Wire.blockBits

  /** All before it are older than what each control unit shows. */
  val recent = RegNext(io.current - 1)

  /** A block's number from a TSN's. */
  private def blockOf(tsn: UInt) = tsn.dropLow(log2Up(Wire.blockBits)).asUInt

  /** The next look-up of a series. */
  val series = new Area {
    // Judged a clock after it was asked for: an ackTsn may be as old as the window, and no older.
    private val first = blockOf(io.asked.payload)
    private val begins = RegNext(io.asked.valid && io.running) init False
    private val block0 = RegNext(first)
    private val isOld = RegNext((first - recent).msb)
    private val isKept = RegNext(io.current - first <= blocks)
    val block = Reg(OutcomeLog.blockNumber)
    val active = RegInit(False)
    val next = block + 2
    when(io.lookup.fire && active) {
      block := next
      active := (next - recent).msb
    }
    when(begins && isOld && isKept) {
      block := block0
      active := True
    }
    when(!io.running)(active := False)
  }

  /** The look-up of a repeat. */
  val repeat = new Area {
    private val lag = OlderReports.repeatLag(link.window)
    val peerAck = RegNextWhen(blockOf(io.peerAck.payload), io.peerAck.valid) init 0
    val due = RegInit(False)
    val block = if (lag > 0) Reg(OutcomeLog.blockNumber) else U(0, widthOf(io.current) bits)
    if (lag > 0) {
      val entered = io.current =/= RegNext(io.current).init(0) && !io.current.lsb
      val candidate = RegNext(io.current - 2 - lag)
      val last = RegNext(io.current - 1 - lag)
      // Asked in the next clock, answered in the one after: the peer may know of all in both blocks.
      val wanted = RegNext(!(last - peerAck).msb) init False
      when(Delay(entered, 2, init = False)) {
        due := wanted
        block := candidate
      }
      when(io.lookup.fire && !series.active || !io.running)(due := False)
    }
  }
  when(!io.running)(repeat.peerAck := 0)

  /** Distance in time that the peer needs to take 64 outcomes in. */
  val pause = Reg(UInt(log2Up(OlderReports.pace) + 1 bits)) init 0 // the sign ends it
  when(!pause.msb)(pause := pause - 1)
  when(io.report.fire)(pause := OlderReports.pace - 2)

  io.lookup.valid := (series.active || repeat.due) && io.running
  io.lookup.payload := series.active ? series.block | repeat.block
  io.report << io.found.haltWhen(!pause.msb)
}

object OlderReports {

  /** Least clocks between two of them. */
  val pace = 128

  /** Blocks between the newest pair and the one that is repeated: an eighth of those in the window, so that a repeat comes long before the
    * window is exhausted, and after a burst of losses; 0: none, as what is recent is the window.
    */
  def repeatLag(window: WindowConfig): Int = {
    val blocks = window.windowFrames / Wire.blockBits
    if (blocks < 8) 0 else (blocks / 8 max 2) min 64
  }
}
