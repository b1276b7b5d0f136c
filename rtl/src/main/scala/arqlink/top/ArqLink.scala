// SPDX-License-Identifier: Apache-2.0
package arqlink.top

import spinal.core._
import spinal.lib._

import arqlink.arq._
import arqlink.axi._
import arqlink.config.{CodeConfig, LinkConfig}
import arqlink.csr.{CsrBank, LinkRegisters}
import arqlink.framing.{Deframer, Framer}
import arqlink.lib.BlockReset
import arqlink.lib.queue.CreditQueue
import arqlink.packet._
import arqlink.rs.{EncodeJob, RsDecoder, RsEncoder}
import arqlink.store.{FrameStore, StoreRead}
import arqlink.wire.{Transmission, UnitFormat}

/** One end of a full-duplex hybrid FEC/ARQ-SR link (docs/architecture.md).
  *
  * `s_axis`/`m_axis` carry packets, `s_axis_phy`/`m_axis_phy` units, `s_axil` the registers. `phy_up` low means that the PHY
  * has lost its carrier. `irq` is high while an enabled bit of register ERROR is set.
  */
class ArqLink(link: LinkConfig) extends Component {
  import link.code

  val packetPorts = new PacketPorts(code.dataBytes)
  val unitPorts = new UnitPorts(code.dataBytes)
  val hostPorts = new HostPorts(LinkRegisters.addressWidth)

  // What survives a restart of the link: registers, counters, its state machine, and the ends of the streams ---------------
  val csr = BlockReset.late(new CsrBank(link))
  csr.io.axil << hostPorts.axil
  hostPorts.irq := csr.io.irq
  val setting = csr.io.setting

  val control = BlockReset.late(new LinkControl(link))
  val composer = BlockReset.late(new ControlComposer(link))
  val watch = BlockReset.late(new ConsistencyWatch)
  val drain = BlockReset.late(PacketDrain(code.dataBytes))
  val framer = BlockReset.late(Framer(code))
  val deframer = BlockReset.late(Deframer(code))
  val reassembler = BlockReset.late(new Reassembler(code))
  val packetChecker = link.packetCrc generate BlockReset.late(new PacketCrcChecker(link))

  // What a restart empties ----------------------------------------------------------------------------------------------------
  private val isReset = BlockReset.following(ClockDomain.current.isResetActive)
  private val lasting = BlockReset.late(ClockDomain.current)
  private def emptied[T](block: => T): T = BlockReset.by(BlockReset.following(control.io.flushNext || isReset).setWeakName("blockFlush"))(block)

  val segmenter = emptied(new Segmenter(link))
  val txStore = emptied(new FrameStore(link))
  val sender = emptied(new ArqSender(link, ArqLink.leadUnits(code)))
  val encoder = emptied(RsEncoder(code))

  val receiver = emptied(new ArqReceiver(link, lasting))
  val rxStore = emptied(new FrameStore(link))
  val resequencer = emptied(new Resequencer(link))
  val decoder = emptied(RsDecoder(code, lateResets = true))
  val peerEdges = emptied(new PeerEdges(link))
  val olderReports = emptied(new OlderReports(link))

  private def queued[T <: Data](stream: Stream[T]): Stream[T] = if (link.queued) stream.queue(4) else stream

  // Forks and registers between blocks are emptied, too. Every `ready` is registered here, except that of units in, which the receiver registers.
  val between = emptied(new Area {

    /** A skid, then a register without a `ready` of its own, so that the segmenter's reaches the skid through no more logic. */
    val packets = queued(drain.io.output.s2mPipe().m2sPipe(collapsBubble = false))
    val accepted = queued(segmenter.io.write)

    /** Has room for all frames that are chosen and have not begun to leave. */
    private def chosen[T <: Data](what: Flow[T]): Stream[T] = {
      val queue = new CreditQueue(what.payloadType, 1 << log2Up(ArqLink.leadUnits(code) max 2))
      queue.io.push << what
      queue.io.pop.halfPipe()
    }
    val frameRead = chosen(sender.io.frame.map { frame =>
      val read = StoreRead(link)
      read.slot := frame.fsn.resized
      read.units := frame.meta.k
      read
    })
    val encodeJob = chosen(sender.io.frame.map { frame =>
      val job = EncodeJob(code)
      job.preset := frame.preset
      job.k := frame.meta.k
      job.n := frame.n
      job
    })
    val nextFrame = chosen(sender.io.frame)
    val stored = queued(txStore.io.data)
    val written = queued(receiver.io.write)
    private val jobs = StreamFork(queued(resequencer.io.job).halfPipe(), 3)
    val storeJob = jobs(0).halfPipe() // a register each, as store and decoder are far apart
    val decodeJob = jobs(1).halfPipe()
    val nextMeta = jobs(2).translateWith(jobs(2).frame.meta).halfPipe().queue(8) // as many of the shortest frames are within the decoder
    val encoded = queued(encoder.io.output.s2mPipe().m2sPipe())
    val read = queued(rxStore.io.data)
    val decoded = queued(decoder.io.output)
    val closing = queued(control.io.close)
  })
  import between._

  /** Data units may come and go; an outage does not end this. */
  val isUp = control.io.view.isRunning

  // Transmit: packets to units ------------------------------------------------------------------------------------------------
  val transmit = BlockReset.late(new Area {
    drain.io.input << packetPorts.input
    drain.io.flush := control.io.flush
    segmenter.io.packet << packets
    segmenter.io.k := setting.active.k
    segmenter.io.base := sender.io.view.txBase
    txStore.io.write << accepted
    sender.io.meta << segmenter.io.meta.stage() // a table far away
    sender.io.head := segmenter.io.head

    sender.io.config.parityFirst := (setting.active.nFirst - setting.active.k.resized).resized
    sender.io.config.parityRetx := (setting.active.nRetx - setting.active.k.resized).resized
    sender.io.config.k := setting.active.k.resized
    sender.io.config.preset := setting.active.preset
    sender.io.config.delta := setting.active.delta
    sender.io.config.outageFreeze := setting.active.outageFreeze
    sender.io.enable := RegNext(control.io.view.peerUp) init False
    sender.io.peerWindowLog2 := control.io.peerWindowLog2
    sender.io.outageEnded := control.io.view.outageEnded

    txStore.io.read << frameRead
    encoder.io.job << encodeJob
    framer.io.frame << nextFrame
    sender.io.unitBegun := framer.io.unitBegun
    encoder.io.input << stored
    framer.io.units << encoded
    framer.io.control << composer.io.message
    framer.io.link := setting.link
    framer.io.epoch := control.io.view.ownEpoch
    framer.io.flush := control.io.flush
    sender.io.frameDone := framer.io.frameDone
    unitPorts.output << framer.io.phy
  })

  // Receive: units to packets -------------------------------------------------------------------------------------------------
  val receive = BlockReset.late(new Area {
    deframer.io.phy << unitPorts.input
    deframer.io.link := setting.link
    receiver.io.unit << queued(deframer.io.unit) // a restart leaves no beats without a header
    receiver.io.payload << deframer.io.payload
    receiver.io.accept := isUp
    receiver.io.epoch := control.io.view.peerEpoch
    receiver.io.rxBase := resequencer.io.rxBase
    rxStore.io.write << written
    resequencer.io.complete << receiver.io.complete.stage().toStream // always ready once the link is up
    resequencer.io.querySlot := receiver.io.querySlot
    receiver.io.queryComplete := resequencer.io.queryComplete
    resequencer.io.inOrder := setting.active.inOrder
    resequencer.io.abandoned := peerEdges.io.abandoned
    resequencer.io.resolved := peerEdges.io.resolved

    rxStore.io.read.arbitrationFrom(storeJob)
    rxStore.io.read.slot := storeJob.slot
    rxStore.io.read.units := storeJob.frame.meta.k
    decoder.io.job.arbitrationFrom(decodeJob)
    decoder.io.job.preset := decodeJob.frame.preset
    decoder.io.job.k := decodeJob.frame.meta.k
    decoder.io.job.received := decodeJob.frame.received
    reassembler.io.frame << nextMeta
    resequencer.io.frameRead := rxStore.io.readDone
    decoder.io.input << read
    reassembler.io.units << decoded
    reassembler.io.flush := control.io.flush
    val (packets, bytes, corrupt) = if (link.packetCrc) {
      packetChecker.io.input << reassembler.io.packet
      packetChecker.io.flush := control.io.flush
      packetPorts.output << packetChecker.io.output
      (packetChecker.io.rxPackets, packetChecker.io.rxBytes, packetChecker.io.rxPacketsCorrupt)
    } else {
      packetPorts.output << reassembler.io.packet
      (reassembler.io.rxPackets, reassembler.io.rxBytes, False)
    }
  })

  // Control units, in and out ---------------------------------------------------------------------------------------------------
  val controlPath = BlockReset.late(new Area {
    control.io.enable := csr.io.command.enable
    control.io.restart := csr.io.command.restart
    control.io.phyUp := BufferCC(hostPorts.phyUp, init = False)
    control.io.timers := setting.timers
    control.io.tablesReady := sender.io.ready && resequencer.io.ready
    // A data unit may overtake this by a few clocks. It then closes all that the message would have closed, and no peer sends
    // data behind a unit that has yet to bring the link up.
    control.io.control << queued(deframer.io.control).m2sPipe()
    // What was judged in the clock of a restart is not of the new peer.
    control.io.alive := receiver.io.alive && !control.io.flush

    // The receiver closes what the peer has finished before anything that follows; the sender takes the outcomes.
    receiver.io.close << closing
    private val admitted = control.io.admitted
    sender.io.feedback << admitted
    peerEdges.io.seen.valid := admitted.valid
    peerEdges.io.seen.txBase := admitted.txBase
    peerEdges.io.seen.abandons := admitted.abandons
    peerEdges.io.givenUp << receiver.io.givenUp
    peerEdges.io.rxBase := resequencer.io.rxBase

    olderReports.io.peerWindowLog2 := control.io.peerWindowLog2
    olderReports.io.peerAck << admitted.translateWith(OutcomeLog.blockOf(admitted.ackTsn))
    olderReports.io.replied := composer.io.replied
    olderReports.io.rxNext := receiver.io.view.rxNext
    receiver.io.outcomes.lookup << olderReports.io.lookup
    olderReports.io.found << receiver.io.outcomes.report

    watch.io.running := isUp
    watch.io.tick := composer.io.tick
    watch.io.feedback := sender.io.judged
    watch.io.edge.accepted := receiver.io.closeAccepted
    watch.io.edge.rejected := receiver.io.event.closeInvalid
    watch.io.base := peerEdges.io.judged
    watch.io.contradiction := resequencer.io.contradiction
    control.io.resync := watch.io.resync

    composer.io.timers := setting.timers
    composer.io.link := control.io.view
    composer.io.sender := sender.io.view
    // A poll is answered when the receiver has closed what it closes: the answer covers that too, which the peer may not ask for again.
    composer.io.receiver := receiver.io.view
    composer.io.older << olderReports.io.report
    composer.io.suspicious := watch.io.suspicious
    composer.io.sentData := framer.io.txUnits || framer.io.txRetxUnits
    composer.io.sent := composer.io.sentData || framer.io.txControlUnits
    composer.io.sending := framer.io.busy
  })

  val report = BlockReset.late(new LinkReport(this))
}

object ArqLink {

  /** Registers between blocks on a frame's way: its queue with the register behind it, and one behind the encoder. */
  private val registersBetween = 4

  /** Most clocks from the choice of a frame of one data unit to the first beat of its parity at the framer, which is due a unit later than its data. */
  private def leadClocks(code: CodeConfig) = FrameIssue.latency + FrameStore.readLatency(code) + RsEncoder.parityLatency + registersBetween

  /** A frame is chosen while fewer units have yet to begin to leave: so its payload is there when they have left. */
  def leadUnits(code: CodeConfig): Int = {
    val beats = UnitFormat.dataBeats(code)
    (FrameIssue.reaction + leadClocks(code) + beats - 1) / beats
  }
}
