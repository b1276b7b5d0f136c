// SPDX-License-Identifier: Apache-2.0
package arqlink.gen

import spinal.core._
import spinal.lib.{Counter => _, _}

import arqlink.arq._
import arqlink.axi._
import arqlink.channel.{ChannelConfig, ChannelEmulator}
import arqlink.config.LinkConfig
import arqlink.csr.{Counter, CounterBank, Counters, CsrBank}
import arqlink.framing.{Deframer, Framer}
import arqlink.packet._
import arqlink.phy.ByteStreamPhy
import arqlink.rs._
import arqlink.store.FrameStore
import arqlink.top._
import arqlink.traffic.TrafficPort

/** The blocks that [[Generate]] can write on their own, for tests and for synthesis. */
object Blocks {
  private type Build = LinkConfig => Component

  private def named(job: Stream[_ <: Bundle]): Unit = {
    job.valid.setName("job_valid")
    job.ready.setName("job_ready")
    for ((name, signal) <- job.payload.elements) signal.setName(s"job_$name")
  }

  private def codec[J <: Bundle](coder: ErasureCodec[J], name: String): Component = {
    coder.setDefinitionName(name)
    named(coder.io.job)
    AxiNames.units(coder.io.input, "s_axis")
    AxiNames.units(coder.io.output, "m_axis")
    coder
  }

  private def emulator(dataBytes: Int): ChannelEmulator = {
    val channel = new ChannelEmulator(ChannelConfig(dataBytes, 1024))
    AxiLiteNames(channel.io.axil, "s_axil")
    channel.io.erase.setName("erase")
    AxiNames.phy(channel.io.input, "s_axis_phy")
    AxiNames.phy(channel.io.output, "m_axis_phy")
    channel
  }

  private def traffic(dataBytes: Int): TrafficPort = {
    val port = new TrafficPort(dataBytes)
    AxiLiteNames(port.io.axil, "s_axil")
    AxiNames.packet(port.io.userTx, "s_axis")
    AxiNames.packet(port.io.userRx, "m_axis")
    AxiNames.packet(port.io.tx, "m_axis_link")
    AxiNames.packet(port.io.rx, "s_axis_link")
    port
  }

  private def decoder: AxiLiteDecoder = {
    val decoder = new AxiLiteDecoder(3)
    AxiLiteNames(decoder.io.input, "s_axil")
    for ((output, i) <- decoder.io.outputs.zipWithIndex) AxiLiteNames(output, s"m${i}_axil")
    decoder
  }

  /** As many counters as there can be: those of a link, and spare ones. */
  private val mostCounters = Counters.all ++ Seq.tabulate(124 - Counters.all.size)(i => Counter(s"spare_$i", "none", if (i == 0) 8 else 1))

  private val core: Map[String, Build] = Map(
    "RsEncoder" -> (link => codec(RsEncoder(link.code), "RsEncoder")),
    "RsDecoder" -> (link => codec(RsDecoder(link.code), "RsDecoder")),
    "Segmenter" -> (link => Segmenter(link)),
    "PacketDrain" -> (link => PacketDrain(link.code.dataBytes)),
    "PacketCrcInserter" -> (link => PacketCrcInserter(link.code.dataBytes)),
    "PacketCrcChecker" -> (link => PacketCrcChecker(link)),
    "Reassembler" -> (link => Reassembler(link.code)),
    "FrameStore" -> (link => FrameStore(link)),
    "Framer" -> (link => Framer(link.code)),
    "Deframer" -> (link => Deframer(link.code)),
    "ByteStreamPhy" -> (link => ByteStreamPhy(link.code)),
    "ArqSender" -> (link => new ArqSender(link, ArqLink.leadUnits(link.code))),
    "ArqReceiver" -> (new ArqReceiver(_)),
    "UnitMover" -> (new UnitMover(_)),
    "Resequencer" -> (new Resequencer(_)),
    "LinkControl" -> (new LinkControl(_)),
    "ConsistencyWatch" -> (_ => new ConsistencyWatch),
    "PeerEdges" -> (new PeerEdges(_)),
    "ControlComposer" -> (new ControlComposer(_)),
    "PollSchedule" -> (new PollSchedule(_)),
    "OlderReports" -> (new OlderReports(_)),
    "OutcomeLog" -> (new OutcomeLog(_)),
    "CsrBank" -> (new CsrBank(_)),
    "CsrBankMost" -> (link => new CsrBank(link, mostCounters).setDefinitionName("CsrBankMost")),
    "CounterBank" -> (_ => new CounterBank),
    "CounterBankMost" -> (_ => new CounterBank(mostCounters).setDefinitionName("CounterBankMost")),
    "AxiLiteDecoder" -> (_ => decoder),
    "Countdown" -> (_ => new CountdownAlone)
  )

  private val tops: Map[String, Build] = Map(
    "ArqLink" -> (new ArqLink(_)),
    "ArqLinkPhyClock" -> (new ArqLinkPhyClock(_)),
    "ArqLinkByteStream" -> (new ArqLinkByteStream(_)),
    "ArqPair" -> (new ArqPair(_))
  )

  /** What surrounds the link, in a module of its own. */
  private def around(suffix: String, dataBytes: LinkConfig => Int): Map[String, Build] = Map(
    s"ChannelEmulator$suffix" -> (link => emulator(dataBytes(link)).setDefinitionName(s"ChannelEmulator$suffix")),
    s"TrafficPort$suffix" -> (link => traffic(dataBytes(link)).setDefinitionName(s"TrafficPort$suffix"))
  )

  /** By the names of their modules. `ChannelEmulator` and `TrafficPort` are as wide as the configuration, `ChannelEmulator8` etc. have a width
    * of 2 or 8 bytes.
    */
  val all: Map[String, Build] =
    core ++ tops ++ around("", _.code.dataBytes) ++ Seq(2, 8).flatMap(width => around(width.toString, _ => width))
}
