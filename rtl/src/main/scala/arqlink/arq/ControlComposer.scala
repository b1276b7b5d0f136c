// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.LinkConfig
import arqlink.lib.{Countdown, Invariant, Kept, SeqNum}
import arqlink.wire.{ControlMessage, Wire}

/** Decides when a control unit is due and what it says: always all that this end knows.
  *
  * While no message waits for the framer, an evaluation enters a pipeline in each clock: `measure` finds how far numbers have moved since they were last
  * sent, `compare` tests that and what else may be a cause, `decide` knows whose turn it is. The first evaluation that finds something due composes a
  * message in stage `compose`, and those behind it are discarded: they have not seen what the message settles.
  */
class ControlComposer(link: LinkConfig) extends Component {
  val io = new Bundle {
    val timers = in(TimerSetting())
    val link = in(LinkView())
    val sender = in(SenderView())
    val receiver = in(ReceiverView())

    /** Outcomes that are not the newest, for a control unit of their own. */
    val older = slave Stream OutcomeReport()

    /** Pulse: a reply has been composed. */
    val replied = out Bool ()

    /** Pulse: POLL_TIMEOUT has run out. */
    val tick = out Bool ()

    /** The peer's control units of this period were all rejected. */
    val suspicious = in Bool ()

    /** Pulses: a unit of any kind, a data unit has been sent; a frame is being sent. */
    val sent, sentData, sending = in Bool ()
    val message = master Stream ControlMessage()
  }

  val isHello = io.link.state === LinkState.hello
  val isUp = io.link.state === LinkState.up
  val isOutage = io.link.state === LinkState.outage
  val active = isUp || isOutage
  private val silent = RegNext(!active && !isHello) init True

  // The stage of each task.
  private val (measureAt, compareAt, decideAt, composeAt) = (0, 1, 2, 3)
  private val looks = new StageCtrlPipeline
  val measure = looks.ctrl(measureAt)
  val compare = looks.ctrl(compareAt)
  val decide = looks.ctrl(decideAt)
  val compose = looks.ctrl(composeAt)

  /** A message is composed: one that says all that is due, or one that reports older outcomes, which settles nothing. */
  val composesDue, composesOlder = Bool()
  val composes = composesDue || composesOlder
  val offer = RegInit(False) setWhen (composes && (isHello || active)) clearWhen (io.message.fire || silent)

  // Timers: what reloads them, or lets them run, comes from registers -------------------------------------------------------------

  val timers = new Area {
    private val isGreeting = RegNext(isHello) init False
    val running = RegNext(active) init False

    /** Between hellos, the first of which leaves at once; once the link is up, between reports. */
    val pace = new Countdown(
      interval = silent ? U(0, 32 bits) | (isGreeting ? io.timers.helloInterval | io.timers.statusInterval),
      reload = RegNext(composesDue || isGreeting && !isHello || io.timers.written, init = False) || silent,
      run = isGreeting || running
    )
    // It does not count while a message waits for the framer, or a keep-alive that waited would be followed by another one.
    val keepalive = new Countdown(io.timers.keepalive, RegNext(io.sent || isHello || offer || io.timers.written, init = False), running)
  }
  val polls = new PollSchedule(link)
  polls.io.timers := io.timers
  polls.io.link := io.link
  polls.io.sender := io.sender
  polls.io.suspicious := io.suspicious
  io.tick := RegNext(polls.io.tick) init False

  // Causes ------------------------------------------------------------------------------------------------------------------------

  val causes = new Area {

    /** A cause that stays until a message has been composed for it. The last condition wins: a silent link has no causes, and one that comes as a message
      * is composed stays for the next message.
      */
    private def pending(set: Bool) = RegInit(False) clearWhen composesDue setWhen set clearWhen silent

    val hello = pending(RegNext(io.link.helloDue) && isHello)
    val answer = pending(RegNext(io.link.answerDue) || io.receiver.polled)
    val reply = pending(io.receiver.polled)
    val status = pending(io.receiver.decided)
    val poll = pending(polls.io.due || RegNext(io.link.outageEnded))

    /** Control units with notice of an abandoned frame that are still to be sent; the peer accepts two in succession, so one of three may be lost. */
    val noticesLeft = Reg(UInt(2 bits)) init 0
    when(composesDue && noticesLeft =/= 0)(noticesLeft := noticesLeft - 1)
    when(io.sender.gaveUp)(noticesLeft := 3)
    when(silent)(noticesLeft := 0)
  }

  val turns = new Area {

    /** After a control unit a data unit that waits goes first, whatever is due, or the peer could starve this end's data. */
    val data = RegInit(False) clearWhen (io.sentData && !offer) setWhen composes clearWhen !io.sending

    /** Older outcomes take turns with what is due. */
    val older = RegInit(False) setWhen composesDue clearWhen composesOlder
  }

  /** The numbers that were sent last; the first ones where there is no link. */
  val said = new Area {

    /** The inverse of `running`, in a register of its own: it drives resets, which are slow to reach with logic in between. */
    private val forgets = Kept(RegNext(!active) init True, "said_forgets")
    val txEdge, rxBase, rxNext = Reg(Wire.sn)
    when(composes) {
      txEdge := io.sender.txEdge
      rxBase := io.receiver.rxBase
    }
    when(composesDue)(rxNext := io.receiver.rxNext)
    when(forgets) {
      txEdge := link.firstSn
      rxBase := link.firstSn
      rxNext := link.firstSn
    }
  }

  // An evaluation ------------------------------------------------------------------------------------------------------------------------

  val measured = new measure.Area {
    up.valid := !offer && !silent
    val outcomes = insert(io.receiver.rxNext - said.rxNext)
    val freed = insert(io.receiver.rxBase - said.rxBase)
    val edgeMoves = insert(Cat((io.sender.txEdge ^ said.txEdge).asBits.subdivideIn(4 bits).map(_.orR)))
  }

  val compared = new compare.Area {
    private def atLeast(count: Int, number: Payload[UInt]) = insert(this(number).dropLow(log2Up(count)).orR)
    val manyOutcomes = atLeast(16, measured.outcomes)
    val creditDue = atLeast(link.window.windowFrames / 4, measured.freed)
    val tailDue = insert(io.sender.idle && polls.io.unresolved && this(measured.edgeMoves).orR)

    import causes._
    private val paced = timers.pace.expired
    private val always = answer || timers.keepalive.expired

    // In an outage no data is sent, and there is nothing to report.
    val causeDue = insert(isUp ? (always || poll || noticesLeft =/= 0 || status && paced) | (isOutage && (always || poll && !io.link.deaf)))
    val helloDue = insert(isHello && (hello || paced))

    /** A keep-alive asks for an answer. */
    val isKeepalive = insert(timers.keepalive.expired)
  }

  val decided = new decide.Area {
    private def is(what: Payload[Bool]): Bool = this(what)
    private val movedDue = isUp && (causes.status && is(compared.manyOutcomes) || is(compared.tailDue) || is(compared.creditDue))
    private val isDue = !turns.data && (is(compared.causeDue) || movedDue)
    // A clock late, as it comes from far away: what has just been taken may still show, but nothing is decided so soon.
    private val mayShowOlder = (RegNext(io.older.valid) init False) && isUp && !turns.data
    val older = insert(mayShowOlder && (turns.older || !isDue))
    val due = insert(is(compared.helloDue) || isDue && !(mayShowOlder && turns.older))
  }

  val composed = new compose.Area {
    down.ready := True
    private val isOlder = this(decided.older)
    composesDue := up.isValid && this(decided.due)
    composesOlder := up.isValid && isOlder
    io.older.ready := composesOlder

    val message = RegNextWhen(
      {
        val m = ControlMessage()
        m.epoch := io.link.ownEpoch
        m.hello := isHello
        m.peerKnown := io.link.peerKnown
        m.poll := !isHello && !isOlder && (causes.poll || this(compared.isKeepalive))
        m.reply := !isHello && !isOlder && causes.reply
        m.deaf := !isHello && io.link.deaf
        m.abandons := !isHello && io.sender.unconfirmed
        m.peerEpoch := io.link.peerEpoch
        m.param := isHello ? (Bool(link.packetCrc) ## B(link.window.slotBits, 7 bits) ## B(link.code.unitBytes, 16 bits)) | (B(0, 4 bits) ## io.sender.ackTsn)
        m.txBase := io.sender.txBase
        m.txEdge := io.sender.txEdge
        m.rxBase := io.receiver.rxBase
        m.rxNext := io.receiver.rxNext
        val shown = isOlder ? io.older.payload | io.receiver.recent
        m.bitmapBase := shown.base
        m.bitmap := shown.bitmap
        m
      },
      composes
    )
    io.message.valid := offer
    io.message.payload := message
    io.replied := RegNext(composesDue && causes.reply) init False

    for (at <- measureAt until composeAt) looks.ctrl(at).terminateWhen(composes || silent)
  }
  looks.build()

  Invariant.when(composes)(!offer, "a message changes while it is offered")
  Invariant.when(composesOlder)(io.older.valid, "older outcomes are reported, and there are none")
  Invariant.when(composesDue)(
    SeqNum.follows(io.receiver.rxNext, io.receiver.recent.base, from = log2Up(Wire.blockBits)),
    "the recent outcomes do not belong to their base"
  )
}
