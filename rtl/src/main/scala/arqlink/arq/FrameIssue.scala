// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.{CodeConfig, LinkConfig}
import arqlink.lib.Invariant
import arqlink.wire._

/** The code settings that the sender uses when a transmission begins. */
case class SenderConfig(code: CodeConfig) extends Bundle {
  val parityFirst = UInt(log2Up(code.maxParity + 1) bits)
  val parityRetx = UInt(log2Up(code.maxParity + 1) bits)
  val preset = UInt(2 bits)

  /** 0 to 14 retransmissions, 15 = never give up. */
  val delta = UInt(4 bits)
  val outageFreeze = Bool()
}

/** A transmission of the frame in `slot`; `attempt`: how often it was sent before; `only`: it will not be sent again. */
case class Sent(link: LinkConfig) extends Bundle {
  val slot = UInt(link.window.slotBits bits)
  val attempt = UInt(Wire.attemptBits bits)
  val only = Bool()
}

/** How far the sender may go: what bounds it, as seen from the other end of the link. */
case class SenderBounds() extends Bundle {
  val txBase, ackTsn, peerRxBase = Wire.sn
  val peerWindowLog2 = UInt(5 bits)
}

/** Chooses what is sent next, as late as the line allows: a failed frame before a new one (docs/architecture.md, "Sender", 1 and 2).
  *
  * @param metas what the store holds of each slot's frame; read in two clocks
  * @param head  new frames below it may be sent
  * @param may   a frame is wanted now
  * @param again frames to be sent again
  */
class FrameIssue(link: LinkConfig, config: SenderConfig, metas: Mem[FrameMeta], bounds: SenderBounds, head: UInt, may: Bool, again: Stream[Sent]) extends Area {
  import link.code
  private val slotBits = link.window.slotBits
  private def slotOf(sn: UInt) = sn.resize(slotBits)

  val frame = Stream(Transmission(code))
  val nextFsn, nextTsn = Reg(Wire.sn) init link.firstSn

  /** What may be sent. The peer's window limits what it must store; both windows limit the outcomes that are kept.
    *
    * Three counts must each be below the peer's window, which is a power of two: frames sent from the peer's rxBase on (`stored`), frames sent from
    * txBase on (`unresolved`), and transmissions without a known outcome (`undecided`). A count is below 2^w if none of its bits from w on is set,
    * so the OR of the three is tested at once. This end's own window holds as well: `undecided.msb` tests it, and the segmenter keeps to it.
    */
  val credit = new Area {
    // None of what is held here is more than this end's window.
    private def held(end: UInt, begin: UInt) = RegNext((end - begin).resize(slotBits + 1))
    private val stored = RegNext(nextFsn - bounds.peerRxBase)
    private val unresolved = held(nextFsn, bounds.txBase)
    private val undecided = held(nextTsn, bounds.ackTsn)
    private val beyond = RegNext(Cat((0 until Wire.snBits).map(i => U(i) >= bounds.peerWindowLog2)))
    private def exceeds(count: UInt) = (count.asBits & beyond.resize(count.getWidth)).orR

    val mayRepeat = RegNext(!exceeds(undecided) && !undecided.msb) init False
    val mayBegin = RegNext(!exceeds(stored | (unresolved | undecided).resized) && !undecided.msb) init False
    val isWaiting = RegNext(WindowSn.of(link, nextFsn) =/= WindowSn.of(link, head)) init False

    /** All of these have followed the frame that left last. */
    val isCurrent = RegNext(History(!frame.fire, 0 until FrameIssue.creditLatency, init = True).andR) init True
  }
  val repeats = again.valid && credit.mayRepeat
  val begins = credit.isWaiting && credit.mayBegin

  // The choice stays until it has left.
  val chosen = RegInit(False)
  val isRepeated = Reg(Bool())
  val sent = Reg(Sent(link))
  private val parity = RegNextWhen(repeats ? config.parityRetx | config.parityFirst, !chosen)
  private val preset = RegNextWhen(config.preset, !chosen)
  private val isDue = !chosen && may && credit.isCurrent

  /** A clock late where beats are wide. */
  private val choose = if (code.isWide) !chosen && RegNext(isDue).init(False) else isDue
  private val takes = choose && (repeats || begins)
  again.ready := RegNext(choose && repeats) init False // it stays on the port until then
  when(takes) {
    chosen := True
    isRepeated := repeats
    sent.slot := slotOf(nextFsn)
    sent.attempt := 0
    sent.only := config.delta === 0
    when(repeats)(sent := again.payload)
  }

  // Its description passes the table, the table's output register and the way from there; then sums are made of it. It stays as long as the choice
  // does, so no stage waits.
  private val stages = Seq.fill(FrameIssue.metaLatency + 2)(Node())
  val ask = stages(0)
  val read = stages(1)
  val sum = stages(FrameIssue.metaLatency)
  val give = stages(FrameIssue.metaLatency + 1)
  ask.valid := RegNext(takes) init False
  private val meta = read.insert(metas.readSync(sent.slot))
  private val n = sum.insert(sum(meta).k.resize(code.nBits) + parity.resize(code.nBits))

  // The slot and the window base give back the full number.
  private val wraps = ask.insert(sent.slot < slotOf(bounds.txBase))
  private val above = ask.insert(bounds.txBase(Wire.snBits - 1 downto slotBits))
  private val fsn = read.insert((read(above) + read(wraps).asUInt) @@ sent.slot)

  val isDescribed = RegInit(False) setWhen (sum.isValid) clearWhen (frame.fire)
  frame.valid := isDescribed
  frame.meta := give(meta)
  frame.n := give(n)
  frame.preset := preset
  frame.attempt := sent.attempt
  frame.again := isRepeated
  frame.only := sent.only
  frame.fsn := give(fsn)
  frame.tsn := nextTsn
  when(frame.fire) {
    chosen := False
    nextTsn := nextTsn + 1
    when(!isRepeated)(nextFsn := nextFsn + 1)
  }
  Invariant.when(frame.valid)(chosen, "a frame is offered, and none is chosen")
  Builder(stages.zip(stages.tail).map { case (from, to) => StageLink(from, to) })
}

object FrameIssue {

  /** From a frame that leaves to what may be sent then: distances, and what they say, both from registers. */
  private val creditLatency = 3

  /** From a slot to its frame's description: the table, its output register, and the way from there. */
  private val metaLatency = 3

  /** Most clocks from `may` to a frame on the port: the choice, its description, and the sums. */
  def latency(code: CodeConfig): Int = 1 + metaLatency + 1 + (if (code.isWide) 3 else 2)
}
