// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink.config.LinkConfig
import arqlink.lib.Invariant
import arqlink.wire.Wire

/** Chooses which older outcomes are reported: each pair of blocks again some time after it was recent, and, after a poll that asks for them,
  * a series of all from the peer's ackTsn on (docs/architecture.md, "Receiver", 4).
  */
class OlderReports(link: LinkConfig) extends Component {
  val io = new Bundle {

    /** A peer is up; otherwise all is forgotten. */
    val running = in Bool ()
    val peerWindowLog2 = in UInt (5 bits)

    /** Block of the ackTsn of each control unit of the peer. */
    val peerAck = slave Flow OutcomeLog.blockNumber

    /** A poll has its reply, which reports outcomes from this block on. */
    val replied = slave Flow OutcomeLog.blockNumber

    val current = in(OutcomeLog.blockNumber)
    val lookup = master Stream OutcomeLog.blockNumber
    val found = slave Stream OutcomeReport()

    /** To be sent, `OlderReports.pace` clocks apart at least. */
    val report = master Stream OutcomeReport()
  }
  private val slotBits = link.window.slotBits
  private val blocks = link.window.windowFrames / Wire.blockBits
  private val firstBlock = OutcomeLog.firstBlock(link)

  /** All before it are older than what each control unit reports. */
  val recent = RegNext(io.current - 1)

  /** Walks from pair to pair of blocks: `cursor` and the one after it.
    *
    * The pair is due when it is `lag` blocks behind the recent ones (cursor + 1 + lag <= recent). It is skipped if the peer knows it (peerAck is
    * above cursor + 1), or if the log has overwritten it (more than `blocks` behind the current block).
    */
  private class Repeats(lag: UInt, isBuilt: Bool) extends Area {
    val request = Stream(OutcomeLog.blockNumber)
    val cursor = Reg(OutcomeLog.blockNumber) init firstBlock
    private val isReached = RegNext(!(recent - lag - cursor - 1).msb)
    private val isKnown = RegNext((cursor + 1 - peerAck).msb)
    private val isOverwritten = RegNext(io.current - cursor > blocks)

    /** The comparisons, which are registers, belong to the present `cursor`. */
    private val settled = RegInit(False)
    private val isDue = settled && isReached && isBuilt
    private val skipPair = isKnown || isOverwritten
    request.valid := isDue && !skipPair
    request.payload := cursor
    val moves = request.fire || isDue && skipPair
    settled := !moves
    when(moves)(cursor := cursor + 2)
    when(!io.running)(cursor := firstBlock)
  }

  val peerAck = Reg(OutcomeLog.blockNumber) init firstBlock
  when(io.peerAck.valid)(peerAck := io.peerAck.payload)
  when(!io.running)(peerAck := firstBlock)
  val lags = new RepeatLags(link, io.peerWindowLog2)
  private val second = (RepeatLags.second(slotBits) > 0) generate new Repeats(lags.second.resized, lags.second =/= 0)
  private val between = RepeatLags.hasBetween(slotBits) generate new Repeats(lags.between.resized, lags.hasBetween)
  private val third = RepeatLags.hasThird(slotBits) generate new Repeats(lags.third.resized, lags.hasThird)

  /** The next look-up of a series. */
  val series = new Area {
    val request = Stream(OutcomeLog.blockNumber)
    val block = Reg(OutcomeLog.blockNumber)
    val active = RegInit(False)

    /** The peer misses outcomes that the reply does not report and this end still has. An ackTsn may be as old as the window, and no older. */
    private val replied = io.replied.stage()
    private val ack = RegNext(peerAck)
    private val age = RegNext(io.current - peerAck) // of `ack`
    private val begins = RegNext(replied.valid, init = False) && RegNext((ack - replied.payload).msb) && RegNext(age <= blocks)
    private val from = RegNext(ack)

    /** The comparisons, which are registers, belong to the present `block`. */
    private val settled = RegNext(!request.fire && !begins) init False
    private val isDone = RegNext(!(block - recent).msb)
    request.valid := active && settled && !isDone
    request.payload := block
    when(request.fire)(block := block + 2)
    when(settled && isDone)(active := False)
    when(begins) {
      block := from
      active := True
    }
    when(!io.running)(active := False)
  }

  private val requests = Seq(second, between, third).filter(_ != null).map(_.request) :+ series.request
  io.lookup << StreamArbiterFactory().lowerFirst.noLock.on(requests).throwWhen(!io.running)

  /** Clocks until the next one may leave: the peer needs that long to process 64 outcomes. It is set a clock after a report, and its sign ends it a
    * clock after 0: hence `pace` - 2.
    */
  val pause = Reg(UInt(log2Up(OlderReports.pace) + 1 bits)) init 0
  when(!pause.msb)(pause := pause - 1)
  when(io.report.fire)(pause := OlderReports.pace - 2)
  io.report << io.found.haltWhen(!pause.msb)
  Invariant.when(io.lookup.fire)((io.lookup.payload - recent).msb, "what is recent is looked up as old")
}

object OlderReports {

  /** Least clocks between two of them. */
  val pace = 128
}
