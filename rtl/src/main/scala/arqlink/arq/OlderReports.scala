// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.LinkConfig
import arqlink.lib.{Invariant, SeqNum}
import arqlink.wire.Wire

/** Chooses which older outcomes are reported. Pairs of blocks that the peer may lack take turns in a ring: one turn each time rxNext has moved, and a round
  * of all after each reply (docs/architecture.md, "Receiver", 4).
  *
  * A pair is named by the number of its first block, halved; its place in the ring is that number modulo the ring's size.
  */
class OlderReports(link: LinkConfig) extends Component {
  val io = new Bundle {
    val peerWindowLog2 = in UInt (5 bits)

    /** Block of the ackTsn of each control unit of the peer. */
    val peerAck = slave Flow OutcomeLog.blockNumber

    /** Pulse: a reply has been composed. */
    val replied = in Bool ()

    /** Moves by a window at most, as no edge is taken that is further ahead. */
    val rxNext = in(Wire.sn)
    val lookup = master Stream OutcomeLog.blockNumber
    val found = slave Stream OutcomeReport()

    /** To be sent, `OlderReports.pace` clocks apart at least. */
    val report = master Stream OutcomeReport()
  }
  private val placeBits = link.window.slotBits - log2Up(Wire.bitmapBits) max 1
  private def pairOf(block: UInt) = block.dropLow(1).asUInt

  /** The ring has 2^n places: the n low bits of a pair's number. */
  private val mask = RegNext(Cat((log2Up(Wire.bitmapBits) until link.window.slotBits).map(io.peerWindowLog2 > _)).asUInt.resize(placeBits))

  /** The newest pair with an older block in it, and the oldest one of the ring. */
  private val block = OutcomeLog.blockOf(io.rxNext)
  private val newest = RegNext(pairOf(block) - 1)
  private val oldest = RegNext(newest - mask)

  /** The peer knows all blocks below. It keeps up with the ring, or a peer that says nothing would seem to be ahead after half of all numbers. */
  val known = Reg(cloneOf(block)) init OutcomeLog.firstBlock(link)
  private val isBehind = RegNext(SeqNum.isBelow(pairOf(known), oldest) && !io.peerAck.valid) init False
  when(isBehind)(known := oldest @@ False)
  when(io.peerAck.valid)(known := io.peerAck.payload)

  /** It lacks nothing but recent outcomes. */
  private val lacksNone = RegNext(SeqNum.isBelow(block - 2, known)) init True

  val turns = new Area {
    private def passes(count: Int) = WindowSn.of(link, io.rxNext).dropLow(log2Up(count))
    private val (eighth, blockNow) = (passes(OlderReports.distance), passes(Wire.blockBits))
    private val moved = RegNext(eighth =/= RegNext(eighth)) init False
    private val isNewBlock = RegNext(blockNow =/= RegNext(blockNow)) init False

    /** A turn is due; so many are left of a round; whose turn is next. */
    val due = RegInit(False)
    val left = Reg(UInt(placeBits + 1 bits)) init 0
    val place = Reg(UInt(placeBits bits)) init 0

    private val hasEarly = (1 << placeBits) > OlderReports.early.last

    /** The next one is early: of a pair that is so far below the newest one. */
    val isEarly = if (hasEarly) RegInit(False) else False
    private val early = RegNext((block.lsb ? U(OlderReports.early.last) | U(OlderReports.early.head)).resize(placeBits))

    private val stages = new StageCtrlPipeline
    private val (ask, measure, compare, look) = (stages.ctrl(0), stages.ctrl(1), stages.ctrl(2), stages.ctrl(3))

    /** One at a time. */
    private val isIdle = RegInit(True)
    private val begins = isIdle && (due || left =/= 0)
    ask.up.valid := begins
    Invariant.when(begins)(ask.up.isReady, "a turn begins, and the one before is in the stages")
    private val from = ask.insert(newest)
    private val age = ask.insert(isEarly ? early | ((newest.resize(placeBits) - place) & mask))
    private val pair = measure.insert(measure(from) - measure(age))
    private val isKnown = compare.insert(SeqNum.isBelow(compare(pair), pairOf(known)) || lacksNone)
    io.lookup.valid := look.isValid && !look(isKnown)
    io.lookup.payload := look(pair) @@ False
    look.down.ready := io.lookup.ready
    isIdle clearWhen begins setWhen look.down.isFiring

    due clearWhen begins setWhen moved
    when(begins && !isEarly) {
      place := place + 1
      when(left =/= 0)(left := left - 1)
    }
    if (hasEarly) isEarly clearWhen begins setWhen (isNewBlock && mask >= OlderReports.early.last)
    when(io.replied) {
      place := pairOf(known).resize(placeBits)
      left := mask +^ 1
    }
    stages.build()
  }

  /** Clocks until the next one may leave: the peer needs that long to process 64 outcomes. It is set a clock after a report, and its sign ends it a
    * clock after 0: hence `pace` - 2.
    */
  val pause = Reg(UInt(log2Up(OlderReports.pace) + 1 bits)) init 0
  when(!pause.msb)(pause := pause - 1)
  when(io.report.fire)(pause := OlderReports.pace - 2)
  io.report << io.found.haltWhen(!pause.msb)
  Invariant.when(io.lookup.fire)(SeqNum.isBelow(io.lookup.payload + 1, block), "a block is looked up that is not complete")
}

object OlderReports {

  /** Least clocks between two of them. */
  val pace = 128

  /** Transmissions from one turn to the next. */
  val distance = 8

  /** In a ring of more places, pairs so far below the newest one have turns between others: as a block of an even or an odd number has begun. */
  val early = Seq(16, 32)
}
