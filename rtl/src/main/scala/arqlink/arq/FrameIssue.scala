// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.{CodeConfig, LinkConfig}
import arqlink.lib.{Invariant, Tally}
import arqlink.lib.queue.ReadQueue
import arqlink.wire._

/** The code settings that the sender uses when a transmission begins. */
case class SenderConfig(code: CodeConfig) extends Bundle {
  val parityFirst = UInt(log2Up(code.maxParity + 1) bits)
  val parityRetx = UInt(log2Up(code.maxParity + 1) bits)
  val preset = UInt(2 bits)

  /** Of new frames. */
  val k = UInt(code.kBits bits)

  /** 0 to 14 retransmissions, 15 = never give up. */
  val delta = UInt(4 bits)
  val outageFreeze = Bool()
}

/** A transmission of the frame in `slot`; `attempt`: how often it was sent before. */
case class Try(link: LinkConfig) extends Bundle {
  val slot = UInt(link.window.slotBits bits)
  val attempt = UInt(Wire.attemptBits bits)
}

/** A transmission that was chosen; `isLast`: the frame is not sent again, whatever delta becomes. */
case class Sent(link: LinkConfig) extends Bundle {
  val of = Try(link)
  val isLast = Bool()
}

/** How far the sender may go: what bounds it, as seen from the other end of the link. */
case class SenderBounds() extends Bundle {
  val txBase, ackTsn, peerRxBase = Wire.sn
  val peerWindowLog2 = UInt(5 bits)
}

/** A failed frame, described. */
case class Failed(link: LinkConfig) extends Bundle {
  val again = Try(link)
  val meta = FrameMeta(link.code)
}

/** Chooses what is sent next, as late as the line allows: a failed frame before a new one (docs/architecture.md, "Sender", 1 and 2).
  *
  * What may be chosen is described ahead, so the units of a choice count before the next one: a choice every `FrameIssue.interval` clocks, and
  * nothing stalls it.
  *
  * @param metas what the store holds of each slot's frame; read in two clocks
  * @param head  new frames below it may be sent
  * @param may   frames may be sent
  * @param begun pulse: a data unit begins to leave
  * @param again frames to be sent again
  * @param lead  a frame is chosen while fewer units are chosen and have not begun to leave
  */
class FrameIssue(
    link: LinkConfig,
    config: SenderConfig,
    metas: Mem[FrameMeta],
    bounds: SenderBounds,
    head: UInt,
    may: Bool,
    begun: Bool,
    again: Stream[Try],
    lead: Int
) extends Area {
  import link.code
  private val slotBits = link.window.slotBits
  private def slotOf(sn: UInt) = sn.resize(slotBits)
  val nextFsn, nextTsn = Reg(Wire.sn) init link.firstSn

  /** Failed frames and new ones, in sequence each, with what the store holds of them. */
  val described = new Area {
    private val latency = 4
    private val stages = Seq.fill(latency + 1)(Node())
    private val (ask, read, give) = (stages(1), stages(2), stages.last)

    val failedQueue = new ReadQueue(Failed(link), latency)
    val freshQueue = new ReadQueue(FrameMeta(code), latency)
    private val freshAt = Reg(WindowSn(link)) init WindowSn.first(link)
    private val asksFailed = again.valid && failedQueue.io.room
    private val asksFresh = !asksFailed && freshQueue.io.room && freshAt =/= WindowSn.of(link, head)
    again.ready := failedQueue.io.room
    when(asksFresh)(freshAt := freshAt + 1)

    private val failed = stages.head.insert(again.payload)
    private val slot = stages.head.insert(asksFailed ? again.slot | slotOf(freshAt))
    private val meta = read.insert(metas.readSync(ask(slot)))
    failedQueue.io.issue := asksFailed
    failedQueue.io.word.again := give(failed)
    failedQueue.io.word.meta := give(meta)
    freshQueue.io.issue := asksFresh
    freshQueue.io.word := give(meta)

    /** A failed frame is on its way here, or waits for its choice. */
    val someFailed = new Tally(0, 16, up = asksFailed, down = failedQueue.io.pop.fire).some
    stages.head.valid := asksFailed || asksFresh
    Builder(stages.zip(stages.tail).map { case (from, to) => StageLink(from, to) })
  }

  val failed = described.failedQueue.io.pop
  private val fresh = described.freshQueue.io.pop

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
  }

  /** Units that are chosen and have not begun to leave, less `lead`: negative while another frame may be chosen. */
  val ahead = Reg(SInt(log2Up(lead + code.maxN) + 1 bits)) init (-lead)

  val takes = Bool()

  /** All of `credit`, and `ahead`, have followed the choice before. */
  val isCurrent = !takes && !RegNext(History(takes, 0 until FrameIssue.interval - 2, init = False).orR, init = False)
  private val isDue = RegNext(may && isCurrent && ahead.msb) init False

  /** A failed frame goes first. Whether there is one is enough to know: what lets a new frame begin lets a failed one be repeated. */
  val repeats = failed.valid
  takes := isDue && (repeats ? credit.mayRepeat | (fresh.valid && credit.mayBegin))
  failed.ready := isDue && credit.mayRepeat
  fresh.ready := isDue && credit.mayBegin && !repeats
  Invariant.when(credit.mayBegin)(credit.mayRepeat, "a frame may begin, and none may be repeated")
  when(takes) {
    nextTsn := nextTsn + 1
    when(!repeats)(nextFsn := nextFsn + 1)
  }

  // From the choice to the frame that leaves.
  private val stages = Seq.fill(FrameIssue.latency + 1)(Node())
  private val (choose, give) = (stages.head, stages.last)
  val (chosen, place) = (stages(1), stages(2))
  choose.valid := takes
  val isRepeated = choose.insert(repeats)
  val tsn = choose.insert(nextTsn)
  private val next = choose.insert {
    val first = Try(link)
    first.slot := slotOf(nextFsn)
    first.attempt := 0
    repeats ? failed.again | first
  }
  private val meta = choose.insert(repeats ? failed.meta | fresh.payload)
  private val parity = choose.insert(repeats ? config.parityRetx | config.parityFirst)
  private val preset = choose.insert(config.preset)
  val sent = chosen.insert {
    val sent = Sent(link)
    sent.of := chosen(next)
    val isTooLong = chosen(next).attempt === 15 && chosen(meta).k > config.k
    sent.isLast := config.delta =/= 15 && chosen(next).attempt >= config.delta || isTooLong
    sent
  }
  private val odd = chosen.insert(chosen(next).attempt(0))
  private val n = chosen.insert(chosen(meta).k.resize(code.nBits) + chosen(parity).resize(code.nBits))

  // The slot and the window base, which does not pass the frame, give back the full number.
  private val wraps = chosen.insert(chosen(next).slot < slotOf(bounds.txBase))
  private val above = chosen.insert(bounds.txBase(Wire.snBits - 1 downto slotBits))
  private val fsn = place.insert((place(above) + place(wraps).asUInt) @@ place(next).slot)

  /** What its units tell the receiver (docs/architecture.md, "Sender", 5). */
  val announcement = new Area {
    private val isFirst = place.isValid && !place(isRepeated)

    /** Of a frame that txBase has not passed, the first transmission was no last try: it may come again. The newest of these is just below `end`. */
    private val end = Reg(WindowSn(link))
    private val mayRepeat = RegInit(False) clearWhen (end === WindowSn.of(link, bounds.txBase))
    when(isFirst && !place(sent).isLast) {
      end := WindowSn.of(link, nextFsn)
      mayRepeat := True
    }
    val lastTry = place.insert(place(sent).isLast && (place(isRepeated) || !mayRepeat))

    /** Of the newest frame, the first transmission was announced as its last try. */
    val newest = RegNextWhen(place(lastTry), isFirst) init False
  }

  ahead := ahead + (place.isValid ? place(n) | U(0)).intoSInt - begun.asUInt.intoSInt
  Invariant.when(begun)(ahead =/= -lead, "a unit begins to leave that was not chosen")

  val frame = Flow(Transmission(code))
  frame.valid := give.isValid
  frame.meta := give(meta)
  frame.n := give(n)
  frame.preset := give(preset)
  frame.odd := give(odd)
  frame.again := give(isRepeated)
  frame.lastTry := give(announcement.lastTry)
  frame.allBelow := give(announcement.lastTry) && !give(isRepeated)
  frame.fsn := give(fsn)
  frame.tsn := give(tsn)
  Builder(stages.zip(stages.tail).map { case (from, to) => StageLink(from, to) })
}

object FrameIssue {

  /** From a choice to the next one: what may be sent, and how many units are chosen, follows in these clocks. */
  val interval = 4

  /** From a choice to the frame on the port. */
  val latency = 3

  /** From `begun` to the choice that it allows. */
  val reaction = 2
}
